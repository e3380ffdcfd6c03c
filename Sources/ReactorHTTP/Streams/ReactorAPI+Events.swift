internal import ReactorCoding
internal import ReactorHost

extension ReactorAPI {
  private static let streamHeaders: [(name: String, value: String)] = [
    ("Content-Type", "text/event-stream; charset=utf-8"),
    ("Cache-Control", "no-store, no-transform"),
    ("X-Accel-Buffering", "no"),
  ]

  func openStream(
    of reactor: any HostedReactor, _ id: String, _ request: HTTPRequest,
    _ answer: @escaping @Sendable (HTTPResponse) -> Void
  ) throws(Problem) {
    try negotiate(request, "text/event-stream")
    let query = try Query(request.query)
    let view = StreamView(pointer: try query.pointer("select"))
    let wantsEveryVersion = try replaysAll(query)
    let cursor = request[header: .lastEventID] ?? query["last_event_id"]
    let isHead = request.method == "HEAD"
    if isDraining { return answer(stream(RetryStream(), isHead)) }

    reactor.session(id, for: .use) { [self] result in
      switch result {
      case .success(let opened):
        if isHead { return answer(HTTPResponse(status: 200, headers: Self.streamHeaders)) }
        answer(
          stream(
            subscribe(to: opened.session, view, after: cursor, everyVersion: wantsEveryVersion),
            isHead))
      case .failure(.ended):
        // Tells an EventSource to stop for good.
        answer(HTTPResponse(status: 204))
      case .failure(.tooMany): answer(stream(RetryStream(), isHead))
      case .failure(let error): answer(problem(for: error).response)
      }
    }
  }

  private func stream(_ stream: any ByteStream, _ isHead: Bool) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: Self.streamHeaders, body: isHead ? .empty : .stream(stream))
  }

  private func replaysAll(_ query: Query) throws(Problem) -> Bool {
    switch query["replay"] {
    case nil: return false
    case "all": return true
    default:
      throw Problem(
        .invalidParameter, "The parameter replay takes: all.",
        members: [.init("parameter", .string("replay"))])
    }
  }

  /// Makes a client's stream: decides what it is sent first.
  private func subscribe(
    to session: any Session, _ view: StreamView, after text: String?, everyVersion: Bool
  ) -> SubscriberStream {
    let channel = channels.join(session, view)
    // Read after joining, so that whatever comes later is in the channel.
    let current = session.current
    let resumed = text.map { Self.resumption(of: $0, in: session, at: current.version) }
    var opening = Array(EventText.retry().utf8)
    if case .reset = resumed { opening += EventText.reset.utf8 }

    if everyVersion {
      let version: Int? = if case .after(let version) = resumed { version } else { nil }
      if let replay = try? session.replay(after: version) {
        if version == current.version { opening += EventText.current.utf8 }
        return SubscriberStream(
          channel, of: channels, opening: opening, seen: version ?? -1, everyVersion: true,
          replay: replay)
      }
      // Retention removed what the client wants: never silence, never a guess.
      if case .reset = resumed {} else { opening += EventText.reset.utf8 }
    } else if case .after(current.version) = resumed {
      opening += EventText.current.utf8
      return SubscriberStream(
        channel, of: channels, opening: opening, seen: current.version, everyVersion: false)
    }
    opening += EventText.state(current.cursor, view.json(of: current))
    return SubscriberStream(
      channel, of: channels, opening: opening, seen: current.version, everyVersion: everyVersion)
  }

  private enum Resumption {
    /// The client has everything up to this version.
    case after(Int)

    /// The cursor is not one of this history.
    case reset
  }

  private static func resumption(
    of text: String, in session: any Session, at version: Int
  ) -> Resumption {
    guard let cursor = Cursor(text), cursor.epoch == session.epoch, cursor.version <= version
    else { return .reset }
    return .after(cursor.version)
  }
}
