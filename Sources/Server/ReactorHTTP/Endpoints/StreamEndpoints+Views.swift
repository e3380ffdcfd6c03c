internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// Streams of sessions as their clients may see them.
extension StreamEndpoints {
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
  /// - Returns: The client's events and its first output, or `nil` if too much work of the client waits.
  /// - Throws: If the client may not see the session.
  func subscribe(
    _ call: Call, to session: any SessionSource, of reactor: any HostedReactor, _ id: String,
    _ wanted: StreamRequest, in view: StreamView, by owner: StreamOwner,
    from position: StreamPosition
  ) async throws(Problem) -> (any StreamFeed, StreamOpening)? {
    let client = call.owner
    guard let projector = reactor.projector else {
      return await channels.subscribe(
        to: session, wanted, in: view, by: owner, of: client, from: position)
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
      base: session, projector: projector, viewer: viewer, logger: logger)
    var view = view
    view.isProjected = true
    let entry: ViewerEntry
    do throws(SessionViews.Refusal) {
      entry = try await views.enter(viewer)
    } catch {
      channels.views.leave(views)
      if error == .ended { return nil }
      throw Problem(error, call.scope)
    }
    let leave: @Sendable () -> Void = { [channels] in
      views.leave(entry)
      channels.views.leave(views)
    }
    if case .sees(let source) = entry.standing, !view.canSend(source.current.json) {
      leave()
      throw Self.stateNotObject
    }
    return await ViewedSubscription.open(
      entry, of: views,
      subscribe: { [channels, view] source, resets in
        await channels.subscribe(
          to: source, wanted, in: view, by: owner, of: client, from: resets ? .unknown : position,
          history: history, resets: resets)
      }, on: channels.background, for: client, leave: leave)
  }

  /// Returns the response to `HEAD` of a stream of sessions.
  func headResponse(
    to call: Call, of sessions: [(any SessionSource, any HostedReactor, String)]
  ) throws(Problem) -> HTTPResponse {
    for (session, reactor, id) in sessions { try call.requireView(of: session, reactor, id) }
    return HTTPResponse(status: 200, headers: headers)
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
