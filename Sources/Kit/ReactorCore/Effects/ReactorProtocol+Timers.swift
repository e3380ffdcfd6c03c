public import ReactorStreams

extension ReactorProtocol {
  /// Returns a stream without elements that schedules a durable timer.
  ///
  /// The timer sends an action at a given time.
  ///
  /// For streams that `mutate` returns; elsewhere it only completes.
  ///
  /// ```swift
  /// case .open(let end):
  ///   return .concat(.just(.setEnd(end)), schedule(.close, at: end, id: "end"))
  /// case .cancel:
  ///   return .concat(.unschedule(id: "end"), .just(.setEnd(nil)))
  /// ```
  ///
  /// A host stores the timer in one batch with the mutations of its turn, and removes it in one
  /// batch with the mutations that the action causes synchronously. The action is therefore
  /// executed once, even if the process ends, the session is not in memory at the due time, or the
  /// process is not running at the due time. Effects that continue after the turn of the action run
  /// like those of any accepted action.
  ///
  /// This is a method of the reactor instead of `Observable`, so that the action has the reactor's
  /// type. Without a host the timer lives as long as the reactor.
  ///
  /// The stream fails with a ``TimerError`` if the timer cannot be scheduled.
  ///
  /// - Parameters:
  ///   - action: The action; it is stored as JSON.
  ///   - time: The due time. A timer with a time in the past fires immediately.
  ///   - id: Identifies the timer in its session: 1 to 128 of `A-Z a-z 0-9 . _ ~ -`, and neither
  ///     `.` nor `..`. A timer replaces the earlier timer with the same id.
  ///   - period: The time between two repetitions, counted from due time to due time, in whole
  ///     milliseconds, or `nil` for a timer that fires once.
  ///   - catchUp: Whether repetitions that the process missed are executed later; otherwise they are
  ///     skipped.
  /// - Returns: The stream.
  public func schedule(
    _ action: Action, at time: WallTime, id: String, every period: Duration? = nil,
    catchUp: Bool = false
  ) -> Observable<Mutation> {
    let timer = TimerChange.Timer(
      action: action, due: max(time, .earliest), period: period, catchesUp: catchUp)
    return .changingTimer(TimerChange(id: id, timer: timer))
  }
}

extension Observable {
  /// Returns a stream without elements that removes the timer with an id, see
  /// ``ReactorProtocol/schedule(_:at:id:every:catchUp:)``.
  ///
  /// For streams that `mutate` returns; elsewhere it only completes. A timer that does not exist is
  /// ignored.
  public static func unschedule(id: String) -> Observable<Element> {
    changingTimer(TimerChange(id: id, timer: nil))
  }

  static func changingTimer(_ change: TimerChange) -> Observable<Element> {
    Observable { observer in
      switch CurrentSerialContext.value {
      case let effect as EffectContext:
        effect.change(change) { error in observer.on(error.map { .error($0) } ?? .completed) }
      case is ChildEffectContext: observer.on(.error(TimerError.screen))
      default: observer.on(.completed)
      }
      return Disposables.create()
    }
  }
}
