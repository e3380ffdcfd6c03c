internal import Identity
internal import ReactorCoding
internal import ReactorCore
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The failures of a reactor's actions.
struct FailureEndpoints {
  let host: Host
  /// How long a response waits for the effect of an action.
  let wait: TimerWheel.Interval

  private static let item = "/v1/reactors/{reactor}/sessions/{session}/failures/{failure}"

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/reactors/{reactor}/failures", needs: .read, traits: .projected, handler: list,
        operation: Operation(
          "listFailures",
          "The failures of actions and what this release cannot read, the latest first",
          detail: """
            Those that no request waited for have an `id`. They are stored until their action runs \
            again. The others are the latest 100 of the process. Those of sessions that have ended are \
            dropped. At most 100 accepted actions, due timers and sessions that this release cannot read \
            have the member `unreadable`.
            """,
          parameters: [.reactor],
          responses: [.init(200, "The failures", .json(.component("FailureList")))],
          problems: [.unknownReactor, .notAcceptable, .storageFull])),
      Endpoint(
        .post, Self.item, needs: .manage, traits: .projected,
        where: { SessionKey.isValid(id: $0[2]) }, handler: runAgain,
        operation: Operation(
          "runFailureAgain", "Run the action of a stored failure again",
          detail: """
            The action runs with the principal of its request, and the failure is removed. If the \
            action fails, there is a new failure.
            """,
          parameters: [.reactor, .session, .failure, .prefer],
          responses: [
            .init(
              200, "All mutations are committed; the State", headers: [.etag, .preferenceApplied],
              .json(.state)),
            .init(
              202, "Accepted, and still running; the current State",
              headers: [.etag, .preferenceApplied], .json(.state)),
            .init(
              204, "All mutations are committed, with `return=minimal`",
              headers: [.etag, .preferenceApplied]),
          ],
          problems: [
            .notFound, .invalidSessionID, .foreignOrigin, .unknownReactor, .unknownSession,
            .sessionEnded, .invalidAction, .notAcceptable, .actionCrashed, .effectFailed,
            .sendsTooDeep, .changeTooLarge, .stateTooLarge, .storageFull,
          ],
          hasOwnProblems: true)),
      Endpoint(
        .delete, Self.item, needs: .manage, traits: .projected,
        where: { SessionKey.isValid(id: $0[2]) }, handler: dismiss,
        operation: Operation(
          "dismissFailure", "Remove a stored failure",
          parameters: [.reactor, .session, .failure],
          responses: [.init(204, "The session has no failure with this id")],
          problems: [
            .invalidSessionID, .foreignOrigin, .unknownReactor, .unknownSession, .sessionEnded,
            .storageFull,
          ])),
    ]
  }

  private struct Listing: Encodable {
    let failures: [Entry]
  }

  private struct Entry: Encodable {
    var id: String?
    let session: String
    let action: [UInt8]?
    let time: Timestamp
    let principal: String?
    let failure: ActionFailure
    var blocked: FailedEffect.Blocked?

    private enum CodingKeys: CodingKey {
      case id, session, action, at, by, status, title, detail, code, unreadable, timer, effect
    }

    init(_ effect: FailedEffect) {
      session = effect.session
      action = effect.action
      time = effect.time
      principal = effect.principal
      failure = effect.failure
      blocked = effect.blocked
    }

    init(_ stored: StoredFailure) {
      id = stored.id
      session = stored.session
      action = stored.action.count > FailedEffect.actionLimit ? nil : stored.action
      time = stored.at
      principal =
        stored.principal
        .flatMap { try? JSONCoder.decode(Principal.self, from: $0) }?.id
      failure = stored.failure
    }

    func encode(to encoder: any Encoder) throws {
      let problem = Problem(failed: failure.error, index: nil, at: Cursor(epoch: "", version: 0))
      var container = encoder.container(keyedBy: CodingKeys.self)
      if let id { try container.encode(id, forKey: .id) }
      try container.encode(session, forKey: .session)
      try container.encode(action.map { EncodedJSON(trusted: $0) }, forKey: .action)
      try container.encode(time.description, forKey: .at)
      if let principal { try container.encode(principal, forKey: .by) }
      try container.encode(problem.status, forKey: .status)
      try container.encode(problem.title, forKey: .title)
      try container.encode(problem.detail, forKey: .detail)
      if let code = failure.reason?.code { try container.encode(code, forKey: .code) }
      guard let blocked = blocked else { return }
      try container.encode(true, forKey: .unreadable)
      switch blocked {
      case .timer(let id): try container.encode(id, forKey: .timer)
      case .effect(""): break
      case .effect(let id): try container.encode(id, forKey: .effect)
      }
    }
  }

  private func list(_ call: Call) async throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    try call.negotiate()
    let stored = try Self.storedFailures(of: reactor)
    let entries = stored.map { Entry($0) } + reactor.failedEffects.map { Entry($0) }
    let failures = entries.filter {
      call.scope.mayList($0.session, of: reactor) && call.scope.mayInspect(reactor, $0.session)
    }
    .sorted { $0.time.milliseconds > $1.time.milliseconds }
    return .json(encoding: Listing(failures: failures), headers: .revalidated)
  }

  private func runAgain(_ call: Call) throws(Problem) {
    try call.negotiate()
    var wanted = Preferences(call.request[header: .prefer])
    let isReadable = try call.scope.mayRead(try call.sessionID(), of: try call.reactor(in: host))
    wanted.hidesState = !wanted.isMinimal && !isReadable
    call.start { [wait, preferences = wanted] () throws(Problem) in
      await call.takeTurnToRead()
      guard let (failure, session) = try await find(call) else { throw Self.unknown }
      let reply = ActionResponder(session, preferences, call.reply)
      reply.wait(for: preferences.wait.map { .init(.seconds($0)) } ?? wait)
      let outcome = await session.runAgain(failure) { reply.accepted($0) }
      guard let outcome else { throw Self.unknown }
      reply.completed(outcome)
    }
  }

  private func dismiss(_ call: Call) async throws(Problem) -> HTTPResponse {
    if let (failure, session) = try await find(call) {
      try await Problem.mapping(await session.dismiss(failure))
    }
    return HTTPResponse(status: 204)
  }

  /// Returns the stored failure of the path and its session, which is not opened if there is no such failure.
  private func find(_ call: Call) async throws(Problem) -> (StoredFailure, any Session)? {
    let (reactor, id) = (try call.reactor(in: host), try call.sessionID())
    let failures = try Self.storedFailures(of: reactor)
    guard let failure = failures.first(where: { $0.session == id && $0.id == call["failure"] })
    else { return nil }
    return (failure, try await call.openSession(of: reactor, id))
  }

  private static func storedFailures(
    of reactor: any HostedReactor
  ) throws(Problem) -> [StoredFailure] {
    do throws(LogError) {
      return try reactor.storedFailures()
    } catch {
      throw Problem(error)
    }
  }

  private static let unknown = Problem(
    .notFound, "The session has no stored failure with this id. GET …/failures lists them.")
}
