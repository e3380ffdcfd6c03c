internal import Synchronization

/// The journal of accepted actions: what goes on when its request could be answered is written down,
/// so that it is run again if the process ends before it does.
///
/// An action that is done at once never comes here.
extension LiveSession {
  /// Writes down actions whose effects go on, with the mutations that they have caused so far, and
  /// tells their client once that is durable.
  ///
  /// Runs within the serial context, as all that is here.
  func accept(_ running: [ActionTicket], of request: ActionRequest) {
    guard !running.isEmpty else { return }
    let now = Timestamp.now
    book.withLock { book in
      guard book.end == nil else { return }
      book.lastRequest += 1
      let actions = running.map { ticket in
        AcceptedAction(
          id: .init(request: book.lastRequest, place: ticket.index), action: ticket.json,
          isInArray: request.isArray, key: request.key, at: now)
      }
      request.journalled(actions)
      for action in actions { book.notes.accepted[action.id] = action }
      book.whenNextBatchIsCommitted { [self] isCommitted in
        if isCommitted { request.acknowledge(current) }
      }
    }
  }

  /// One action of a request has ended, and others go on.
  func ended(_ id: AcceptedAction.ID, of request: ActionRequest, _ error: (any Error)?) {
    book.withLock { book in
      guard book.end == nil else { return }
      if let failed = request.endJournalled(id, error) {
        book.notes.accepted[id] = failed
      } else {
        book.notes.finish(id)
      }
    }
  }

  // MARK: After a restart

  /// Runs again what the end of a process has cut off, or gives it up.
  ///
  /// How often an action was started is durable before it is: one that ends the process each time is
  /// given up after some.
  ///
  /// - Parameters:
  ///   - actions: What the journal has, in order.
  ///   - policy: What the reactor says about it.
  ///   - completion: Called when the actions have entered the session, or it has ended.
  func resume(
    _ actions: [AcceptedAction], by policy: InterruptionPolicy,
    completion: @escaping @Sendable () -> Void
  ) {
    engine.perform(bound: .max) { [self] in
      var requests: [InterruptedRequest] = []
      for request in InterruptedRequest.all(of: actions) {
        if let reason = reason(against: request, by: policy) {
          giveUp(request, because: reason)
        } else {
          requests.append(request)
        }
      }
      let isOpen = book.withLock { book in
        guard book.end == nil else { return false }
        for request in requests { book.restart(request) }
        book.lastRequest = actions.last?.id.request ?? 0
        book.whenNextBatchIsCommitted { [self, requests] isCommitted in
          guard isCommitted else { return completion() }
          engine.perform(bound: .max) { [self] in
            for request in requests { runAgain(request) }
            completion()
          }
        }
        return true
      }
      if !isOpen { completion() }
    }
  }

  private func reason(
    against request: InterruptedRequest, by policy: InterruptionPolicy
  ) -> String? {
    if policy == .giveUp { return "its reactor does not run actions again" }
    let limit = environment.settings.runLimit
    if request.runs(before: .now) >= limit {
      return "it was started \(limit) times and never ended"
    }
    do {
      _ = try engine.prepare(request.unfinished)
    } catch {
      return "it is no action of its reactor any more"
    }
    return nil
  }

  private func giveUp(_ request: InterruptedRequest, because reason: String) {
    for action in request.unfinished {
      environment.logger.error(
        "interrupted action is given up",
        [
          "reactor": key.reactor, "session": key.id,
          "action": String(decoding: action.action, as: UTF8.self), "reason": reason,
        ])
    }
    let now = Timestamp.now
    book.withLock { book in
      for action in request.actions { book.notes.finish(action.id) }
      guard let key = request.key else { return }
      let failure =
        request.failure
        ?? ActionFailure(index: request.isArray ? request.firstPlace : nil, InterruptedError())
      book.notes.outcomes[key.name] = (key, now, failure)
    }
  }

  private func runAgain(_ interrupted: InterruptedRequest) {
    guard book.withLock({ $0.end == nil }),
      let actions = try? engine.prepare(interrupted.unfinished)
    else { return }
    environment.logger.info(
      "interrupted action runs again",
      ["reactor": key.reactor, "session": key.id, "actions": "\(interrupted.unfinished.count)"])
    let request = ActionRequest(
      count: actions.count, isArray: interrupted.isArray, key: interrupted.key, in: self,
      completion: nil)
    request.journalled(interrupted.actions)
    engine.run(actions, for: request)
    request.entered()
  }
}

/// What clients are told of an action that was given up.
private struct InterruptedError: Error {}

/// The actions of one request that the end of a process has cut off.
struct InterruptedRequest: Sendable {
  /// What the journal has: those that go on, and those that have failed.
  let actions: [AcceptedAction]

  /// Puts the actions of a journal together by their requests.
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

  var unfinished: [AcceptedAction] { actions.filter { $0.failure == nil } }

  var isArray: Bool { actions[0].isInArray }

  var key: IdempotencyKey? { actions[0].key }

  var firstPlace: Int { actions[0].id.place }

  /// The first failure among those that have ended.
  var failure: ActionFailure? {
    actions.first { $0.failure != nil }?.failure
  }

  /// How many starts in a row have come to nothing.
  ///
  /// What ran for long before it was cut off is not to blame for that.
  func runs(before now: Timestamp) -> Int {
    let age = now.milliseconds - (unfinished.map(\.at.milliseconds).max() ?? 0)
    return age > Self.longRun ? 0 : unfinished.map(\.runs).max() ?? 0
  }

  /// Ten minutes, in milliseconds.
  private static let longRun: Int64 = 600_000
}
