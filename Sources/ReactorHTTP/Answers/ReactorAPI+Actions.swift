internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost

extension ReactorAPI {
  func runActions(
    of reactor: any HostedReactor, _ id: String, _ request: HTTPRequest, _ context: RequestContext,
    _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    try negotiate(request, "application/json")
    try requireJSON(request)
    let preferences = Preferences(request[header: .prefer])
    let expected = try EntityTags(of: request, in: .ifMatch, name: "If-Match")?.cursors
    let key = try IdempotencyKeys.read(request)
    let body = request.body
    @Sendable func submit(to session: any Session) throws(Problem) {
      let pending = PendingAnswer(session, preferences, of: self, answer)
      do throws(ActionDecodingError) {
        try session.submit(
          body, ifAt: expected, key: key, for: context,
          accepted: { _ in pending.accepted() },
          completion: { pending.completed($0) })
      } catch {
        throw problem(for: error, kind: .invalidAction)
      }
      pending.wait(for: preferences.wait.map { .seconds($0) } ?? settings.actionWait)
    }
    // Mostly it is in memory, so that nothing need be kept for later.
    if let session = reactor.liveSession(id) { return try submit(to: session) }
    withSession(of: reactor, id, answer, submit)
  }

  /// What is told of an outcome.
  func response(
    to outcome: ActionOutcome, in session: any Session, _ preferences: Preferences
  ) -> HTTPResponse {
    switch outcome {
    case .committed(let state):
      return Answer.state(state, isAccepted: false, as: preferences)
    case .failed(let index, let error, let cursor):
      return effectFailed(error, index, at: cursor).response
    case .replayed(let outcome):
      var response = response(to: outcome, in: session, preferences.ofFinalAnswer)
      response.headers.append("Idempotent-Replayed", "true")
      return response
    case .running:
      return Problem(
        .actionRunning,
        "The first request with this Idempotency-Key still runs. Send it again a little later.",
        headers: ["Retry-After": String(settings.retryAfter)]
      ).response
    case .keyReused:
      return Problem(
        .idempotencyKeyReused,
        "The Idempotency-Key stands for a request with another body in this session. Nothing ran."
      ).response
    case .mismatch(let state):
      return Problem(
        .versionMismatch,
        "The session is at \(state.cursor). Read its state and decide again; nothing ran.",
        headers: ["ETag": state.cursor.tag]
      ).response
    case .overloaded:
      return unavailable("Too many requests wait for this session. Nothing ran.").response
    case .ended: return problem(for: .ended).response
    case .notCommitted(let error): return problem(for: error).response
    }
  }

  private func effectFailed(_ error: any Error, _ index: Int?, at cursor: Cursor) -> Problem {
    var problem = Problem(
      .effectFailed,
      """
      The reactor failed to run this action. What was committed before the failure stays; the \
      session goes on.
      """,
      members: index.map { [.init("index", .number(JSONNumber($0)))] } ?? [],
      headers: ["ETag": cursor.tag])
    guard let error = error as? any ActionError else { return problem }
    problem = Problem(
      .effectFailed, error.detail ?? "\(error.title).", members: problem.members,
      headers: problem.headers)
    problem.title = error.title
    // A reactor cannot answer with a success: what failed has failed.
    problem.status = (400...599).contains(error.status) ? error.status : 500
    return problem
  }
}
