internal import ReactorCore
internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// Changes and fires the timers of a session.
///
/// Their changes belong to the batch of the turn, and a due timer executes its action in a turn.
struct SessionTimers: Sendable {
  let session: LiveSession

  private var environment: ReactorEnvironment { session.environment }

  // MARK: The reactor

  /// Sets or removes a timer of the reactor, in the serial context.
  ///
  /// - Returns: The error if the timer is rejected.
  func change(_ change: TimerChange) -> (any Error)? {
    guard let timer = change.timer else {
      set(change.id, to: nil)
      return nil
    }
    let encoded: [UInt8]?
    do {
      encoded = try environment.witness.encodeAction(timer.action)
    } catch is PrivateValueError {
      return TimerError.privateValue
    } catch {
      return TimerError.action
    }
    guard let action = encoded,
      action.count <= TimerError.actionLimit
    else { return TimerError.action }
    let limit = environment.settings.timerLimit
    guard session.timerTable.withLock({ $0.hasPlace(for: change.id, limit: limit) }) else {
      return TimerError.tooMany(limit: limit)
    }
    set(
      change.id,
      to: StoredTimer(
        id: change.id, due: Timestamp(milliseconds: timer.due.milliseconds), action: action,
        period: timer.period?.wholeMilliseconds, catchesUp: timer.catchesUp))
    return nil
  }

  /// Sets or removes a timer with the batch of the turn.
  fileprivate func set(_ id: String, to timer: StoredTimer?) {
    guard session.timerTable.withLock({ $0.set(id, to: timer) }) else { return }
    environment.blocked.remove(BlockedWork.Item(kind: .timer, id: id), of: session.key.id)
    let service = environment.timers
    session.commits.withLock { machine in
      guard !machine.hasEnded else { return }
      machine.change(then: { if $0, let timer { service.didSchedule(timer.due) } }) {
        $0.timers[id] = StoredTimerChange(id: id, timer: timer)
      }
    }
  }

  // MARK: Due timers

  /// Executes the action of a timer that is due, in a turn of the session.
  ///
  /// - Parameter due: The timer as it was read from the log.
  /// - Returns: The outcome, when the batch that removes or replaces the timer is committed.
  func fire(_ due: DueTimer) async -> TimerSchedule.Outcome {
    do throws(SessionError) {
      try await session.commit {
        // A timer that this release cannot decode stays as it is, for a release that can. Without a timer,
        // the batch that removes or replaces it may be uncommitted.
        guard !session.hasEnded,
          let timer = session.timerTable.withLock({ $0.timer(firedBy: due) }),
          let fired = decode(timer)
        else { return }
        set(timer.id, to: timer.repetition(at: Timestamp(milliseconds: WallTime.now.milliseconds)))
        execute(timer, fired)
      }
      return .done
    } catch {
      return error == .ended ? .done : .failed
    }
  }

  /// The action of a due timer.
  private enum FiredAction {
    case decoded(DecodedActions)
    case quarantined
  }

  /// Decodes the action of a timer, or returns `nil` if this release cannot.
  private func decode(_ timer: StoredTimer) -> FiredAction? {
    if environment.settings.marking?.isQuarantined(session.key, timer.action) == true {
      return .quarantined
    }
    let action = AcceptedAction(
      id: .init(request: 0, place: 0), action: timer.action, isInArray: false, key: nil, at: .now)
    do {
      return .decoded(try environment.witness.decodeJournal([action]))
    } catch {
      environment.block(
        BlockedWork.Item(kind: .timer, id: timer.id), of: session.key, action: timer.action, error)
      return nil
    }
  }

  private func execute(_ timer: StoredTimer, _ fired: FiredAction) {
    let lateness = max(0, Timestamp.now.milliseconds(since: timer.due))
    environment.counts.timersFired.add()
    environment.counts.timerLateness.record(Duration.milliseconds(lateness))
    guard case .decoded(let actions) = fired else {
      return giveUp(timer, ActionCrashedError(), because: "its action crashed the service")
    }
    environment.counts.actions.add()
    let context = RequestContext.timer(timer.id)
    let reply = ActionReply(
      count: 1, isArray: false, context: context, in: session, completion: nil)
    ActionExecution(actions: actions, reply: reply, context: context).execute()
  }

  private func giveUp(_ timer: StoredTimer, _ error: any Error, because reason: String) {
    SessionFailures(session: session).store(error, of: timer.action, for: .timer(timer.id))
    environment.logger.error(
      "timer is given up",
      [
        "reactor": session.key.reactor, "session": session.key.id, "timer": timer.id,
        "action": String(decoding: timer.action, as: UTF8.self), "reason": reason,
      ])
  }

  // MARK: Forks

  /// Reads the timers and the version that they belong to, in a turn of the session, when both are durable.
  func readDurable() async throws(SessionError) -> (version: Int, timers: [StoredTimer]) {
    try await session.commit {
      let version = session.commits.withLock { $0.reducedVersion }
      return (version, session.timerTable.withLock { $0.all })
    }
  }

  /// Sets the timers of the session that this one is a fork of, in a turn of the session.
  func adopt(_ timers: [StoredTimer]) async throws(SessionError) {
    try await session.commit { for timer in timers { set(timer.id, to: timer) } }
  }
}

extension LiveSession {
  @usableFromInline
  func timers(
    after position: TimerPosition?, limit: Int
  ) async throws(SessionError) -> [StoredTimer] {
    let timers = try await SessionTimers(session: self).readDurable().timers
    let rest = timers.drop { timer in position.map { timer.position <= $0 } ?? false }
    return Array(rest.prefix(limit))
  }

  @usableFromInline
  func cancelTimer(_ id: String) async throws(SessionError) {
    try await commit { [self] in SessionTimers(session: self).set(id, to: nil) }
  }
}

extension SessionSerialContext: TimerStoringContext {
  func change(_ change: TimerChange) -> (any Error)? {
    session.flatMap { SessionTimers(session: $0).change(change) }
  }
}
