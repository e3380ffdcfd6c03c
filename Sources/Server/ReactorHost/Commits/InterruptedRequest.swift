internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
internal import Shares

/// The actions of one request that the end of a process interrupted.
struct InterruptedRequest: Sendable {
  /// The actions in the journal: those that have not ended, and those that have failed.
  let actions: [AcceptedAction]
  /// Whether a restart counts: this process has not started the actions before.
  var countsStart = true

  /// Groups the actions of a journal by request.
  static func all(of actions: [AcceptedAction]) -> [InterruptedRequest] {
    var requests: [InterruptedRequest] = []
    for action in actions {
      if let last = requests.last, last.actions[0].id.request == action.id.request {
        requests[requests.count - 1] = InterruptedRequest(actions: last.actions + [action])
      } else {
        requests.append(InterruptedRequest(actions: [action]))
      }
    }
    return requests
  }

  /// The actions that have not ended.
  var unfinished: [AcceptedAction] { actions.filter { $0.failure == nil } }

  var isArray: Bool { actions[0].isInArray }

  /// The id under which clients see a request that this release cannot decode among the effects.
  var effectID: String { "accepted-\(actions[0].id.request)" }

  /// The idempotency key of the client, also of a request that a former release has accepted, whose keys belonged
  /// to no principal.
  var key: IdempotencyKey? {
    guard let key = actions[0].key, case let context = context(), context.origin == .client else {
      return actions[0].key
    }
    return key.owned(by: context.principal?.id)
  }

  /// Returns the context of the actions when they run again: that of their request, marked as a repetition.
  func context(in ledger: Ledger? = nil) -> RequestContext {
    let first = actions[0]
    let stored =
      first.context.flatMap { try? JSONCoder.decode(StoredContext.self, from: $0) }
      ?? StoredContext(RequestContext(id: "journal-\(first.id.request)"))
    return stored.repetition(
      for: first.principal.flatMap { try? JSONCoder.decode(Principal.self, from: $0) }, in: ledger)
  }

  var firstIndex: Int { actions[0].id.place }

  /// The first failure of the actions that have ended.
  var failure: ActionFailure? {
    actions.first { $0.failure != nil }?.failure
  }

  /// Returns the number of consecutive starts that ended with the process.
  ///
  /// A start that ran for ten minutes does not count.
  func starts(before now: Timestamp) -> Int {
    let age = now.milliseconds - (unfinished.map(\.at.milliseconds).max() ?? 0)
    return age > Self.longRun ? 0 : unfinished.map(\.runs).max() ?? 0
  }

  /// Returns the unfinished actions with the number of starts after a restart.
  func restarted(at now: Timestamp) -> [AcceptedAction] {
    let starts = starts(before: now) + (countsStart ? 1 : 0)
    return unfinished.map { action in
      var action = action
      action.runs = starts
      action.at = now
      return action
    }
  }

  /// Ten minutes, in milliseconds.
  private static let longRun: Int64 = 600_000
}
