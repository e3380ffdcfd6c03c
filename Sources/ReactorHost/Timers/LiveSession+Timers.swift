internal import ReactorCore
internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// Timers: their changes belong to the batch of the turn, and due ones execute their action.
extension LiveSession {
  /// Sets or removes a timer of the reactor, in the serial context.
  ///
  /// - Returns: The error if the timer is rejected.
  func change(_ change: TimerChange) -> (any Error)? {
    guard let timer = change.timer else {
      set(change.id, to: nil)
      return nil
    }
    guard let action = environment.witness.encodeAction(timer.action),
      action.count <= TimerError.actionLimit
    else { return TimerError.action }
    let limit = environment.settings.timerLimit
    guard timers.withLock({ $0[change.id] != nil || $0.count < limit }) else {
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
  func set(_ id: String, to timer: StoredTimer?) {
    let hasChanged = timers.withLock { timers in
      defer { timers[id] = timer }
      return timers[id] != timer
    }
    guard hasChanged else { return }
    let service = environment.timers
    commits.withLock { machine in
      guard !machine.hasEnded else { return }
      machine.change(StoredTimerChange(id: id, timer: timer)) { isCommitted in
        if isCommitted, let timer { service.didSchedule(timer.due) }
      }
    }
  }

  /// Executes the action of a timer that is due, in a turn of the session.
  ///
  /// - Parameters:
  ///   - due: The timer as it was read from the log.
  ///   - completion: Called when the batch that removes the timer is committed.
  func fire(
    _ due: DueTimer, completion: @escaping @Sendable (TimerSchedule.Outcome) -> Void
  ) {
    let isEnqueued = enqueue(bound: environment.settings.mailboxBound) { [self] in
      guard !hasEnded else { return completion(fault == nil ? .done : .failed) }
      // A timer that was replaced since is fired if it is due as well.
      guard let timer = timers.withLock({ $0[due.id] }),
        timer.due.milliseconds <= due.position.due.milliseconds
      else { return completion(.done) }
      let next = timer.repetition(at: .now)
      set(timer.id, to: next)
      execute(timer)
      let waits = commits.withLock { machine in
        machine.whenAllIsCommitted { isCommitted in
          completion(isCommitted ? .done : .failed)
        }
      }
      if !waits { completion(.failed) }
    }
    if !isEnqueued { completion(.failed) }
  }

  private func execute(_ timer: StoredTimer) {
    let lateness = max(0, Timestamp.now.milliseconds - timer.due.milliseconds)
    environment.counts.timersFired.add()
    environment.counts.timerLateness.record(Duration.milliseconds(lateness))
    let action = AcceptedAction(
      id: .init(request: 0, place: 0), action: timer.action, isInArray: false, key: nil, at: .now)
    if environment.settings.marking?.isQuarantined(key, timer.action) == true {
      return giveUp(timer, because: "its action crashed the service")
    }
    do {
      let actions = try environment.witness.decodeJournal([action])
      environment.counts.actions.add()
      let reply = ActionReply(count: 1, isArray: false, in: self, completion: nil)
      ActionExecution(session: self, actions: actions, reply: reply, context: nil).execute()
    } catch {
      giveUp(timer, because: "its reactor does not know the action any more")
    }
  }

  private func giveUp(_ timer: StoredTimer, because reason: String) {
    environment.logger.error(
      "timer is given up",
      [
        "reactor": key.reactor, "session": key.id, "timer": timer.id,
        "action": String(decoding: timer.action, as: UTF8.self), "reason": reason,
      ])
  }

  // MARK: Clients

  @usableFromInline
  func timers(completion: @escaping @Sendable ([StoredTimer]?) -> Void) {
    let isEnqueued = enqueue(bound: environment.settings.mailboxBound) { [self] in
      let timers = timers.withLock { $0.values.sorted { $0.isDue(before: $1) } }
      whenCommitted { completion($0 ? timers : []) }
    }
    if !isEnqueued { completion(nil) }
  }

  @usableFromInline
  func cancelTimer(
    _ id: String, completion: @escaping @Sendable (EffectCancellation) -> Void
  ) {
    let isEnqueued = enqueue(bound: environment.settings.mailboxBound) { [self] in
      set(id, to: nil)
      whenCommitted { [self] _ in completion(fault.map { .notCommitted($0) } ?? .ended) }
    }
    if !isEnqueued { completion(.overloaded) }
  }

  /// Calls a closure when everything before it is durable, or the session has ended.
  func whenCommitted(_ completion: @escaping @Sendable (Bool) -> Void) {
    let waits = commits.withLock { $0.whenAllIsCommitted(completion) }
    if !waits { completion(!hasEnded) }
  }
}

extension StoredTimer {
  /// The timer with its next due time; `nil` if it does not repeat.
  fileprivate func repetition(at now: Timestamp) -> StoredTimer? {
    guard let period,
      let time = TimerChange.Timer.next(
        after: WallTime(milliseconds: due.milliseconds), period: period, catchesUp: catchesUp,
        at: WallTime(milliseconds: now.milliseconds))
    else { return nil }
    var next = self
    next.due = Timestamp(milliseconds: time.milliseconds)
    return next
  }

  fileprivate func isDue(before other: StoredTimer) -> Bool {
    (due.milliseconds, id) < (other.due.milliseconds, other.id)
  }
}

extension SessionSerialContext: TimerStoringContext {
  func change(_ change: TimerChange) -> (any Error)? {
    session?.change(change)
  }
}
