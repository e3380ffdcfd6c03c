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
  private func set(_ id: String, to timer: StoredTimer?) {
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
  /// - Parameters:
  ///   - due: The timer as it was read from the log.
  ///   - completion: Called when the batch that removes or replaces the timer is committed.
  func fire(
    _ due: DueTimer, completion: @escaping @Sendable (TimerSchedule.Outcome) -> Void
  ) {
    let isEnqueued = session.enqueueRequest {
      guard !session.hasEnded else { return completion(session.fault == nil ? .done : .failed) }
      if let timer = session.timerTable.withLock({ $0.timer(firedBy: due) }) {
        // A timer that this release cannot decode stays as it is, for a release that can.
        guard let fired = decode(timer) else { return completion(.done) }
        set(timer.id, to: timer.repetition(at: Timestamp(milliseconds: WallTime.now.milliseconds)))
        execute(timer, fired)
      }
      // Without a timer, the batch that removes or replaces it may be uncommitted.
      session.whenCommitted { completion($0 ? .done : .failed) }
    }
    if !isEnqueued { completion(.failed) }
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

  // MARK: Clients

  /// Lists timers, see ``Session/timers(after:limit:completion:)``.
  func list(
    after position: TimerPosition?, limit: Int,
    completion: @escaping @Sendable ([StoredTimer]?) -> Void
  ) {
    readDurable { read in
      guard let timers = read?.timers else { return completion(session.hasEnded ? [] : nil) }
      let rest = timers.drop { timer in position.map { timer.position <= $0 } ?? false }
      completion(Array(rest.prefix(limit)))
    }
  }

  /// Removes a timer, see ``Session/cancelTimer(_:completion:)``.
  func cancel(_ id: String, completion: @escaping @Sendable (EffectCancellation) -> Void) {
    let isEnqueued = session.enqueueRequest {
      set(id, to: nil)
      session.whenCommitted { _ in completion(EffectCancellation(in: session)) }
    }
    if !isEnqueued { completion(.overloaded) }
  }

  // MARK: Forks

  /// Reads the timers and the version that they belong to, in a turn of the session.
  ///
  /// - Parameter completion: Called when both are durable; with `nil` if the mailbox is full, or the
  ///   session has ended.
  func readDurable(completion: @escaping @Sendable ((version: Int, timers: [StoredTimer])?) -> Void)
  {
    let isEnqueued = session.enqueueRequest {
      let version = session.commits.withLock { $0.reducedVersion }
      let timers = session.timerTable.withLock { $0.all }
      session.whenCommitted { completion($0 ? (version, timers) : nil) }
    }
    if !isEnqueued { completion(nil) }
  }

  /// Sets the timers of the session that this one is a fork of, in a turn of the session.
  ///
  /// - Parameters:
  ///   - timers: The timers.
  ///   - completion: Called when they are durable, or with the error that prevents it.
  func adopt(
    _ timers: [StoredTimer], completion: @escaping @Sendable (LogError?) -> Void
  ) {
    session.enqueue {
      for timer in timers { set(timer.id, to: timer) }
      session.whenCommitted { isCommitted in
        completion(isCommitted ? nil : session.fault ?? .unavailable("The fork has ended."))
      }
    }
  }
}

extension SessionSerialContext: TimerStoringContext {
  func change(_ change: TimerChange) -> (any Error)? {
    session.flatMap { SessionTimers(session: $0).change(change) }
  }
}
