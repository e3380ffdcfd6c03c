internal import ReactorHost

extension ReactorAPI {
  private static let streamHeaders: HTTPFields = [
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
  ]

  /// What a request for a stream comes to: a head alone for `HEAD`.
  func answer(_ request: HTTPRequest, with stream: @autoclosure () -> any ByteStream)
    -> HTTPResponse
  {
    HTTPResponse(
      status: 200, headers: Self.streamHeaders,
      body: request.method == "HEAD" ? .empty : .stream(stream()))
  }

  // MARK: One session

  func openStream(
    of reactor: any HostedReactor, _ id: String, _ request: HTTPRequest,
    _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    try negotiate(request, "text/event-stream")
    let wanted = try StreamRequest(try Query(request.query), request)
    if isDraining { return answer(self.answer(request, with: RetryStream())) }

    reactor.session(id, for: .use) { [self] result in
      switch result {
      case .success(let opened) where !hasRoom(opened.session):
        answer(self.answer(request, with: RetryStream()))
      case .success(let opened):
        answer(self.answer(request, with: stream(of: opened.session, wanted)))
      case .failure(.ended):
        // Tells an EventSource to stop for good.
        answer(HTTPResponse(status: 204))
      case .failure(.tooMany): answer(self.answer(request, with: RetryStream()))
      case .failure(let error): answer(problem(for: error).response)
      }
    }
  }

  /// Whether a session may have one more stream.
  ///
  /// Of several that come at the same moment one too many may get in, which costs less than a lock
  /// around the opening of every stream.
  func hasRoom(_ session: any Session) -> Bool {
    settings.subscriberLimit == 0 || session.subscriberCount < settings.subscriberLimit
  }

  private func stream(of source: any StateSource, _ wanted: StreamRequest) -> SessionStream {
    let (subscription, opening) = subscribe(
      to: source, wanted, from: StreamPosition(wanted.lastEventID))
    return SessionStream(subscription, opening, of: channels)
  }

  // MARK: A global

  func openStream(
    of global: any SharedGlobal, _ request: HTTPRequest
  ) throws(Problem) -> HTTPResponse {
    try negotiate(request, "text/event-stream")
    let wanted = try StreamRequest(try Query(request.query), request)
    guard !isDraining else { return answer(request, with: RetryStream()) }
    return answer(request, with: stream(of: global, wanted))
  }

  // MARK: Subscribing

  /// Makes a client's subscription: decides what it is sent first.
  func subscribe(
    to source: any StateSource, _ wanted: StreamRequest, from position: StreamPosition
  ) -> (Subscription, StreamOpening) {
    let view = wanted.view
    let channel = channels.join(source, view)
    // Read after joining, so that whatever comes later is in the channel.
    let current = source.current
    let resumed = position.version(of: current)
    let activity =
      wanted.wantsActivity
      ? (source as? any Session).map { channels.joinActivity(of: $0) } : nil
    var opening = StreamOpening()
    if wanted.wantsActivity { opening.activity = activity?.latest ?? ActivityChannel.News.none }
    let toldActivity = opening.activity?.number ?? 0
    opening.isReset = position != .beginning && resumed == nil
    opening.isCurrent = resumed == current.version

    if wanted.wantsEveryVersion, let replay = try? source.replay(after: resumed) {
      let subscription = Subscription(
        channel, of: channels, seen: resumed ?? -1,
        shown: opening.isCurrent && !view.isPlain ? view.json(of: current) : nil,
        everyVersion: true, replay: replay, activity: activity, toldActivity: toldActivity)
      return (subscription, opening)
    }
    if wanted.wantsEveryVersion {
      // Retention removed what the client wants: never silence, never a guess.
      (opening.isReset, opening.isCurrent) = (true, false)
    }
    let json = view.json(of: current)
    if !opening.isCurrent {
      opening.event = first(
        current.cursor, json, in: channel, after: opening.isReset ? nil : resumed)
    }
    let subscription = Subscription(
      channel, of: channels, seen: current.version, shown: json,
      everyVersion: wanted.wantsEveryVersion, activity: activity, toldActivity: toldActivity)
    return (subscription, opening)
  }

  /// The first event that a client is sent: a patch from what it sees, where that is wanted and
  /// known, and else the whole.
  private func first(
    _ cursor: Cursor, _ json: ArraySlice<UInt8>, in channel: EventChannel, after version: Int?
  ) -> StreamEvent {
    let view = channel.view
    if view.sendsPatches, let version {
      let patch = channel.shortcut(from: version, to: cursor, json) {
        (try? channel.source.state(at: version)).map(view.json)
      }
      if let patch { return patch }
    }
    return view.whole(cursor, json, follows: cursor.version - 1)
  }
}
