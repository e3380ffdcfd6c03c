public import ClientCore
public import ReactorStreams

/// The subscribers of a session.
public struct Presence: Decodable, Hashable, Sendable {
  /// A subscriber with a name.
  public struct Subscriber: Decodable, Hashable, Sendable {
    /// The principal of its streams, or the name that it chose at a service without authentication.
    public let name: String

    /// The number of its streams.
    public let streams: Int
  }

  /// The number of streams, those without a name included.
  public let count: Int

  /// The subscribers in the order of their names, at most 100.
  public let subscribers: [Subscriber]

  /// The number of subscribers that follow.
  public let more: Int
}

extension RemoteReactor {
  /// The subscribers of the session: those now, and then after changes, at most four times per second.
  ///
  /// The first access adds presence to the stream of the client. Observers must not block.
  public var presence: Observable<Presence> {
    topics(.presence).presence.asObservable()
  }

  /// The subscribers of the session now.
  ///
  /// - Returns: The first 100 subscribers.
  /// - Throws: The problem of the response.
  public func subscribers() async throws(Problem) -> Presence {
    try await client.sender.value(Presence.self, of: .get("\(path)/subscribers"))
  }

  private func topics(_ topics: StreamTopics) -> TopicPublishers {
    let publishers = feed.topics
    guard !isStubEnabled else { return publishers }
    pipeline.connect()
    client.channel(key)?.request(topics)
    return publishers
  }
}

/// The stream of a session that few reactors use.
final class TopicPublishers: Sendable {
  let presence = ReplayRelay<Presence>.create(bufferSize: 1)
}
