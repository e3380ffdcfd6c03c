internal import ClientCore
internal import ReactorCoding
public import ReactorStreams

extension ReactorServer {
  /// A part of the State of a session: the committed value first, and then each change of it.
  ///
  /// A view that shows the numbers of cards of 30 boards receives 30 numbers and not 30 boards. Parts share the stream
  /// of the client; if a client observes several parts of a session, the server sends the smallest part that contains
  /// all of them. A slow observer receives only the latest value. Observers are called on the same threads as those of
  /// a reactor. A value that cannot be decoded is skipped, and reported by ``problems``.
  ///
  /// ```swift
  /// server.part("/cards/count", of: "board", session: "b1", as: Int.self).drive(…)
  /// ```
  ///
  /// - Parameters:
  ///   - pointer: A JSON Pointer (RFC 6901). The value is `null` while the State does not have it: the type is an
  ///     optional one then.
  ///   - reactor: The name of the reactor.
  ///   - session: The id of the session.
  ///   - type: The type of the part.
  /// - Returns: The stream. It fails with the `Problem` for which the session has ended, and at once with one of the kind
  ///   `invalid-parameter` if the text is no pointer.
  public func part<Value: Decodable & Sendable>(
    _ pointer: String, of reactor: String, session: String, as type: Value.Type
  ) -> Observable<Value> {
    guard let pointer = try? JSONPointer(pointer) else {
      return .error(
        Problem(
          .invalidParameter, "The text is no JSON Pointer",
          "\(pointer): write an empty text, or a slash before each name, such as /cards/count."))
    }
    return values(of: reactor, session, .part(pointer), []) {
      (update, last) throws(Problem) -> Value? in
      guard case .state(let state) = update, state.selection.contains(.part(pointer)) else {
        return nil
      }
      let value = state.value(of: pointer)
      guard last != value else { return nil }
      last = value
      return try StateJSON.value(value).decode(type)
    }
  }

  /// The subscribers of a session: the current ones, and then the new ones after each change, at most four times per
  /// second; nothing of its State is sent.
  ///
  /// - Parameters:
  ///   - reactor: The name of the reactor.
  ///   - session: The id of the session.
  /// - Returns: The stream, which fails with the `Problem` for which the session has ended.
  public func presence(of reactor: String, session: String) -> Observable<RemotePresence> {
    values(of: reactor, session, .nothing, .presence) { (update, _) throws(Problem) in
      guard case .notice("presence", let data) = update else { return nil }
      return try? SessionNotice("presence", data).decode(RemotePresence.self)
    }
  }

  private func values<Value: Sendable>(
    of reactor: String, _ session: String, _ selection: Selection, _ topics: StreamTopics,
    _ decode: @escaping PartFeed<Value>.Decoder
  ) -> Observable<Value> {
    let values = Observable<Value>.create { [lifetime] observer in
      let feed = PartFeed(observer, lifetime.client, selection, decode)
      let channel = lifetime.client.openChannel("\(reactor)/\(session)")
      channel.add(feed)
      if !topics.isEmpty { channel.request(topics) }
      return Disposables.create {
        channel.remove(ObjectIdentifier(feed))
        withExtendedLifetime(lifetime) {}
      }
    }
    return client.delivered(values)
  }
}
