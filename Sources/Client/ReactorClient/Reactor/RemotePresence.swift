public import ClientCore
internal import ReactorCoding
public import ReactorStreams

/// The subscribers of a session.
public struct RemotePresence: Decodable, Hashable, Sendable {
  /// A subscriber with a name.
  public struct Subscriber: Decodable, Hashable, Sendable {
    /// The principal of its streams, or the name that it chose at a service without authentication.
    public let name: String

    /// The number of its streams.
    public let streams: Int
  }

  /// The number of streams, those without a name included.
  public let count: Int

  /// The first subscribers with a name, in the order of their names, at most 100.
  public let subscribers: [Subscriber]

  /// The number of further subscribers with a name, which are not listed.
  public let more: Int
}

/// A message between the subscribers of a session, which is stored nowhere.
public struct RemoteSignal<Value: Sendable>: Sendable {
  /// The principal of the sender, or the name that it chose, or `nil` for neither.
  public let sender: String?

  /// The message.
  public let value: Value
}

extension RemoteSignal: Equatable where Value: Equatable {}

extension RemoteReactor {
  /// The subscribers of the session: the current ones, and then the new ones after each change, at
  /// most four times per second.
  ///
  /// The first access adds presence to the stream of the client. Observers must not block.
  public var presence: Observable<RemotePresence> {
    client.delivered(topics(.presence).presence.asObservable())
  }

  /// The subscribers of the session now.
  ///
  /// - Returns: The first 100 subscribers.
  /// - Throws: The problem of the response.
  public func subscribers() async throws(Problem) -> RemotePresence {
    try await client.sender.value(RemotePresence.self, of: .get("\(path)/subscribers"))
  }

  /// The signals that are sent from now on, including those of this client.
  ///
  /// The first access adds signals to the stream of the client. Delivery is not guaranteed: signals
  /// during a reconnection are missed. Signals of another type are skipped. Observers must not
  /// block.
  ///
  /// - Parameter type: The type of the signals.
  /// - Returns: The signals; those of one sender are in order.
  public func signals<Value: Decodable & Sendable>(
    of type: Value.Type
  ) -> Observable<RemoteSignal<Value>> {
    let signals = topics(.signals).signals.asObservable()
    return client.delivered(
      signals.compactMap { notice -> RemoteSignal<Value>? in
        guard let content = notice.data["signal"],
          let value = try? JSONCoder.decode(type, from: content)
        else { return nil }
        return RemoteSignal(sender: notice.data["from"]?.string, value: value)
      })
  }

  /// Sends a signal to the subscribers of the session; it is not stored.
  ///
  /// It is not repeated if its response is lost.
  ///
  /// - Parameter value: The message, of at most 4 KiB of JSON.
  /// - Throws: The problem of the response, such as 429 over 100 per second.
  public func signal(_ value: some Encodable & Sendable) async throws(Problem) {
    let name = client.configuration.name.map { "?name=" + $0.percentEncoded } ?? ""
    let body: [UInt8]
    do {
      body = try JSONCoder.encode(value)
    } catch {
      throw Problem(.invalidParameter, "The signal cannot be encoded", "\(error)")
    }
    _ = try await client.sender.response(
      to: TransportRequest(
        "POST", "\(path)/signals\(name)", fields: [.init("Content-Type", "application/json")],
        body: body))
  }

  private func topics(_ topics: StreamTopics) -> TopicPublishers {
    let publishers = feed.topics
    guard !isStubEnabled else { return publishers }
    pipeline.connect()
    client.channel(key)?.request(topics)
    return publishers
  }
}

/// The publishers of presence and signals, which few reactors use.
final class TopicPublishers: Sendable {
  let presence = ReplayRelay<RemotePresence>.create(bufferSize: 1)
  let signals = PublishSubject<SessionNotice>()
}
