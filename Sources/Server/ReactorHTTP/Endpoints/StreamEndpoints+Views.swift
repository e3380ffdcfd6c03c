internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// Streams of sessions as their clients may see them.
extension StreamEndpoints {
  /// Called with a client's events and its first output; with `nil` if too much work of the client waits.
  typealias FeedCompletion =
    @Sendable (Result<(feed: any StreamFeed, opening: StreamOpening)?, Problem>) -> Void

  /// Subscribes a client to a session, or to what the client may see of it.
  ///
  /// - Parameters:
  ///   - call: The request.
  ///   - session: The session.
  ///   - reactor: Its reactor.
  ///   - id: Its id.
  ///   - wanted: The parameters of the request.
  ///   - view: The view of this session.
  ///   - owner: The owner of the stream.
  ///   - position: The client's position.
  ///   - completion: Called at once, or later on any thread.
  func subscribe(
    _ call: Call, to session: any SessionSource, of reactor: any HostedReactor, _ id: String,
    _ wanted: StreamRequest, in view: StreamView, by owner: StreamOwner,
    from position: StreamPosition, completion: @escaping FeedCompletion
  ) {
    let client = call.owner
    guard let projector = reactor.projector else {
      return channels.subscribe(
        to: session, wanted, in: view, by: owner, of: client, from: position
      ) { subscribed in completion(.success(subscribed.map { ($0, $1) })) }
    }
    let key = SessionKey(reactor: reactor.name, id: id)
    let logger = call.scope.api.logger
    let views = channels.views.join(session) {
      SessionViews(
        session, of: key, projector, bound: channels.bound, background: channels.background,
        logger: logger)
    }
    let viewer = call.scope.viewer(of: key, parameters(of: session, reactor))
    let history = ViewerHistory(
      base: session, projector: projector, viewer: viewer, background: channels.background,
      owner: client, logger: logger)
    var view = view
    view.isProjected = true
    let subscribe: ViewedSubscription.Subscribe = { [channels, view] source, resets, completion in
      channels.subscribe(
        to: source, wanted, in: view, by: owner, of: client, from: resets ? .unknown : position,
        history: history, resets: resets, completion: completion)
    }
    views.enter(viewer) { [channels, view] entered in
      switch entered {
      case .failure(let refusal):
        channels.views.leave(views)
        completion(refusal == .ended ? .success(nil) : .failure(Problem(refusal, call.scope)))
      case .success(let entry):
        @Sendable func leave() {
          views.leave(entry)
          channels.views.leave(views)
        }
        if case .sees(let source) = entry.standing, !view.canSend(source.current.json) {
          leave()
          return completion(.failure(Self.stateNotObject))
        }
        ViewedSubscription.open(entry, of: views, subscribe: subscribe, leave: leave) {
          completion(.success($0.map { ($0, $1) }))
        }
      }
    }
  }

  /// Responds to `HEAD` of a stream of sessions.
  func replyToHead(
    _ call: Call, of sessions: [(any SessionSource, any HostedReactor, String)]
  ) {
    call.reply { () throws(Problem) in
      for (session, reactor, id) in sessions { try call.requireView(of: session, reactor, id) }
      return HTTPResponse(status: 200, headers: headers)
    }
  }
}

extension Call {
  /// Rejects a client that sees nothing of a session.
  func requireView(
    of session: any SessionSource, _ reactor: any HostedReactor, _ id: String
  ) throws(Problem) {
    guard reactor.projector != nil else { return }
    _ = try scope.visible(session.current, of: reactor, id, parameters(of: session, reactor))
  }
}

/// Returns the parameters of a session; those of one that does not exist are the default ones.
private func parameters(
  of session: any SessionSource, _ reactor: any HostedReactor
) -> [UInt8]? {
  if let session = session as? any HistorySource { return session.parameters }
  return reactor.description.parameters?.default
}

extension Problem {
  /// The problem of a client that cannot enter a projected session.
  fileprivate init(_ refusal: SessionViews.Refusal, _ scope: RequestScope) {
    self =
      switch refusal {
      case .nothing: scope.noAudience
      case .failed: .viewFailed
      case .tooManyAudiences:
        .unavailable(
          "At most \(Limits.audiences) audiences of a session have streams at the same time.")
      case .ended: Problem(SessionError.ended)
      }
  }
}
