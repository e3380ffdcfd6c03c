internal import Identity
internal import ReactorCoding
internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport

/// The latest errors of the effects of a reactor.
struct FailureEndpoints {
  let host: Host

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/reactors/{reactor}/failures", needs: .read, handler: list,
        operation: Operation(
          "listFailures",
          "The latest 100 errors of effects with their actions, and what this release cannot read",
          detail: """
            The latest first. The errors are in memory only, and those of sessions that have ended are \
            dropped. At most 100 accepted actions, due timers and sessions that this release cannot \
            read have the member `unreadable`.
            """,
          parameters: [.reactor],
          responses: [.init(200, "The errors", .json(.component("FailureList")))],
          problems: [.unknownReactor, .notAcceptable]))
    ]
  }

  private struct Listing: Encodable {
    let failures: [Entry]
  }

  private struct Entry: Encodable {
    let effect: FailedEffect

    private enum CodingKeys: CodingKey {
      case session, action, at, by, status, title, detail, unreadable, timer, effect
    }

    func encode(to encoder: any Encoder) throws {
      let problem = Problem(
        failed: effect.failure.error, index: nil, at: Cursor(epoch: "", version: 0))
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(effect.session, forKey: .session)
      try container.encode(effect.action.map { EncodedJSON(trusted: $0) }, forKey: .action)
      try container.encode(effect.time.description, forKey: .at)
      if let principal = effect.principal { try container.encode(principal, forKey: .by) }
      try container.encode(problem.status, forKey: .status)
      try container.encode(problem.title, forKey: .title)
      try container.encode(problem.detail, forKey: .detail)
      guard let blocked = effect.blocked else { return }
      try container.encode(true, forKey: .unreadable)
      switch blocked {
      case .timer(let id): try container.encode(id, forKey: .timer)
      case .effect(""): break
      case .effect(let id): try container.encode(id, forKey: .effect)
      }
    }
  }

  private func list(_ call: Call) throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    try call.negotiate()
    let failed = reactor.failedEffects.filter { call.scope.mayRead($0.session, of: reactor) }
    return .json(
      encoding: Listing(failures: failed.map { Entry(effect: $0) }), headers: .revalidated)
  }
}
