public import ReactorStreams

extension ReactorProtocol {
  /// A stream without elements that schedules a durable timer, which sends an action at a time.
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
  /// A host stores the timer in one batch with the mutations of its turn, and removes it in one batch
  /// with the mutations that the action causes synchronously. So the action is executed once, also if
  /// the process ends, the session is not in memory at the time, or the time passes while the process
  /// is down. If effects of the action outlive its turn, they run as those of any accepted action.
  ///
  /// A method of the reactor, and not of `Observable`, so that the action has the reactor's type.
  /// Without a host the timer lives as long as the reactor.
  ///
  /// The stream fails with a ``TimerError`` if the timer cannot be scheduled.
  ///
  /// - Parameters:
  ///   - action: The action; it is stored as JSON.
  ///   - time: The due time. A time in the past is due at once.
  ///   - id: Identifies the timer in its session: 1 to 128 of `A-Z a-z 0-9 . _ ~ -`, and neither `.`
  ///     nor `..`. A timer replaces the earlier one of its id.
  ///   - period: The time between two repetitions, counted from due time to due time, in whole
  ///     milliseconds; `nil` for a timer that fires once.
  ///   - catchUp: Whether repetitions that the process missed are executed later; otherwise they are
  ///     skipped.
  /// - Returns: The stream.
  public func schedule(
    _ action: Action, at time: WallTime, id: String, every period: Duration? = nil,
    catchUp: Bool = false
  ) -> Observable<Mutation> {
    let timer = TimerChange.Timer(
      action: action, due: time, period: period, catchesUp: catchUp)
    return .changingTimer(TimerChange(id: id, timer: timer))
  }
}

extension Observable {
  /// A stream without elements that removes the timer of an id, see
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
