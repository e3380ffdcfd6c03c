internal import Identity
internal import ReactorLog
internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorTransport

/// Actions.
struct ActionEndpoints {
  let host: Host
  /// How long a response waits for the effect of its action.
  private let wait: TimerWheel.Interval
  /// The same in microseconds.
  private let microseconds: Int

  /// Creates the endpoints.
  init(host: Host, defaultWait: Duration) {
    self.host = host
    wait = .init(defaultWait)
    microseconds = Int(min(defaultWait, .seconds(Preferences.longestWait)) / .microseconds(1))
  }

  var all: [Endpoint] {
    let headers: [OpenAPIHeader] = [.etag, .preferenceApplied, .idempotentReplayed]
    return [
      Endpoint(
        .post, "/v1/reactors/{reactor}/sessions/{session}/actions", needs: .act,
        traits: [.takesActions, .projected], handler: submit,
        operation: Operation(
          "runActions", "Run an action, or an array of actions in order",
          detail: """
            An action is an enum case, externally tagged: `"increase"`, `{"add":5}`, \
            `{"move":{"x":1,"y":2}}`. The response is sent when every mutation is committed.
            """,
          parameters: [.reactor, .session, .prefer, .ifMatch, .idempotencyKey], body: .actions,
          responses: [
            .init(200, "All mutations are committed; the State", headers: headers, .json(.state)),
            .init(
              202, "Accepted, and still running; the current State", headers: headers,
              .json(.state)),
            .init(
              204,
              "All mutations are committed, with `return=minimal` or without the right to read",
              headers: headers),
          ],
          problems: [
            .malformedJSON, .invalidParameter, .invalidSessionID, .foreignOrigin, .internalAction,
            .unknownReactor,
            .unknownSession, .sessionEnded, .actionRunning, .versionMismatch,
            .unsupportedMediaType, .invalidAction, .idempotencyKeyReused, .notAcceptable,
            .bodyTooLarge, .actionCrashed, .effectFailed, .sendsTooDeep, .changeTooLarge,
            .stateTooLarge, .storageFull,
          ],
          hasOwnProblems: true))
    ]
  }

  private func submit(_ call: Call) throws(Problem) {
    let reactor = try call.reactor(in: host)
    let id = try call.sessionID()
    let fields = try call.scope.head.actionFields(of: call.request)
    let context = context(of: call, fields.preferences)
    try call.scope.requireActions(call.request.body, reactor.name, id)
    // The access right has been checked. The webhook and the delegate decide on the actions, and need no open
    // session.
    var preferences = fields.preferences
    // Without an event for an action that does not change the view, the client needs the view.
    if reactor.projector != nil { preferences.isMinimal = false }
    if reactor.hasDelegate || call.scope.access?.webhook != nil {
      try call.scope.askDelegate(.act(call.request.body), reactor, id)
      // Without both, the right to act includes that to read.
      if !preferences.isMinimal {
        preferences.hidesState = !(try call.scope.mayRead(id, of: reactor))
      }
    }
    let wanted = preferences
    @Sendable func submit(to session: any Session) throws(Problem) {
      // The first mutation of a session stores it, and so counts as its creation.
      let place = try call.scope.placeOfCreation(of: session, in: host)
      let reply = ActionResponder(session, wanted, call.reply)
      // The closures of nearly all requests have a single capture.
      var completion: @Sendable (ActionOutcome) -> Void = { reply.completed($0) }
      if let place {
        completion = {
          place.release()
          reply.completed($0)
        }
      }
      do throws(ActionDecodingError) {
        try session.submit(
          call.request.body, ifAt: fields.expected, key: fields.key, for: context,
          accepted: { reply.accepted($0) }, completion: completion)
      } catch {
        place?.release()
        throw Problem(error, kind: .invalidAction)
      }
      reply.wait(for: fields.preferences.wait.map { .init(.seconds($0)) } ?? wait)
    }
    // Fast path: if the session is in memory, no closure escapes.
    if let session = reactor.liveSession(id) { return try submit(to: session) }
    if forward(call, to: id, of: reactor, fields, wanted) { return }
    call.start { () throws(Problem) in
      await call.takeTurnToRead()
      guard let problem = call.scope.creationProblem else {
        return try submit(to: try await call.openSession(of: reactor, id))
      }
      guard case .open(let session) = try await call.findSession(of: reactor, id) else {
        throw problem
      }
      try submit(to: session)
    }
  }

  /// Returns the context of the request with the time that its response waits.
  private func context(of call: Call, _ preferences: Preferences) -> RequestContext {
    var context = call.scope.context
    let wait = preferences.wait.map { $0 * 1_000_000 } ?? microseconds
    context.wait =
      preferences.respondsAsynchronously ? .never : .until(call.scope.stopwatch.time(after: wait))
    return context
  }

  /// Passes the actions to the process that owns the session; returns `false` if this process must
  /// open the session instead.
  private func forward(
    _ call: Call, to id: String, of reactor: any HostedReactor, _ fields: ActionFields,
    _ preferences: Preferences
  ) -> Bool {
    // The creation limit and `respond-async` need the State before the outcome, and the view of a client the
    // parameters of the session: open the session first.
    guard call.scope.api.creationLimiter == nil, !fields.preferences.respondsAsynchronously,
      reactor.projector == nil
    else { return false }
    let reply = ActionResponder(nil, preferences, call.reply)
    guard
      reactor.forward(
        to: id, call.request.body, ifAt: fields.expected, key: fields.key, for: call.scope.context,
        accepted: { reply.accepted($0) }, completion: { reply.completed($0) })
    else { return false }
    reply.wait(for: fields.preferences.wait.map { .init(.seconds($0)) } ?? wait)
    return true
  }
}
