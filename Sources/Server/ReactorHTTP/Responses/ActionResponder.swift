internal import ReactorLog
internal import ReactorHost
internal import ReactorTransport
internal import Synchronization

/// The pending response to an action: sent with the outcome, or with 202 after the wait time.
final class ActionResponder: TimerTarget {
  private struct State {
    var reply: Reply?
    /// Whether the action survives a crash, which 202 promises.
    var isDurable = false
    /// Whether the client no longer waits for the outcome.
    var isOverdue: Bool
    var timer: TimerWheel.Place?
    /// The State when the action was accepted, if another process executes it.
    var accepted: CommittedState?
  }

  private let session: (any Session)?
  private let preferences: Preferences
  private let state: Mutex<State>

  /// Creates a reply.
  ///
  /// - Parameters:
  ///   - session: The session, or `nil` if another process executes the actions. Then the client waits for
  ///     the outcome.
  ///   - preferences: The preferences of the client.
  ///   - reply: The pending response.
  init(
    _ session: (any Session)?, _ preferences: Preferences, _ reply: Reply
  ) {
    self.session = session
    self.preferences = preferences
    state = Mutex(State(reply: reply, isOverdue: preferences.respondsAsynchronously))
  }

  /// The action is durable and its effect continues.
  func accepted(_ committed: CommittedState) {
    let isOverdue = state.withLock { state in
      state.isDurable = true
      if session == nil { state.accepted = committed }
      return state.isOverdue
    }
    if isOverdue { sendAccepted() }
  }

  /// The action is completed or rejected.
  func completed(_ outcome: ActionOutcome) {
    // A repetition that waits no longer: its first request is accepted.
    if case .running = outcome, state.withLock({ $0.isDurable }) { return sendAccepted() }
    guard let reply = take() else { return }
    if preferences.respondsAsynchronously, outcome.isOfExecution, let session {
      // The action was completed before the 202 was sent: the client requested 202, not the
      // outcome.
      var response = HTTPResponse.accepted(
        session.current, reply.scope.current(preferences), to: reply.scope, in: session)
      if case .replayed = outcome { response.headers.append("Idempotent-Replayed", "true") }
      reply(response)
    } else {
      reply(
        .outcome(outcome, reply.scope.current(preferences), to: reply.scope, in: session))
    }
  }

  /// Responds with 202 after a time, unless the outcome comes first.
  func wait(for time: TimerWheel.Interval) {
    guard let timers = state.withLock({ $0.isOverdue ? nil : $0.reply?.timers }) else { return }
    guard !time.isEmpty else { return timerExpired() }
    let timer = timers.schedule(self, after: time)
    let isCompleted = state.withLock { state in
      state.timer = timer
      return state.reply == nil
    }
    if isCompleted { timers.cancel(self, at: timer) }
  }

  func timerExpired() {
    let isDurable = state.withLock { state in
      state.isOverdue = true
      return state.isDurable
    }
    // The 202 for an action that is queued or not yet on disk is sent when the action is durable.
    if isDurable { sendAccepted() }
  }

  private func sendAccepted() {
    guard let current = session?.current ?? state.withLock({ $0.accepted }) else { return }
    guard let reply = take() else { return }
    reply(.accepted(current, reply.scope.current(preferences), to: reply.scope, in: session))
  }

  /// Returns the reply to the first caller only, and cancels the timer.
  private func take() -> Reply? {
    // Variables instead of results of the closure: the generic `withLock` would wrap the function
    // value in the reply to return it.
    var reply: Reply?
    var timer: TimerWheel.Place?
    state.withLock { state in
      reply = state.reply.take()
      timer = state.timer.take()
    }
    if let reply, let timer { reply.timers.cancel(self, at: timer) }
    return reply
  }
}

extension ActionOutcome {
  /// Whether the outcome is that of actions which were executed, now or for an earlier request.
  fileprivate var isOfExecution: Bool {
    switch self {
    case .committed, .failed: true
    case .replayed(let outcome): outcome.isOfExecution
    case .running, .keyReused, .mismatch, .overloaded, .ended, .notCommitted, .displaced, .invalid,
      .notOpened:
      false
    }
  }
}
