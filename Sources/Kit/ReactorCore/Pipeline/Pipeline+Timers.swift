internal import ReactorStreams

extension Pipeline: TimerOwner {
  /// Changes a timer: immediately if called in the serial context, otherwise in a turn of its own.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - clock: The scheduler that measures the time of a reactor without a host.
  ///   - completion: Called with the error if the change is rejected: in the serial context or, if
  ///     the change is invalid, immediately on the calling thread.
  func change(
    _ change: TimerChange, on clock: any SchedulerType,
    _ completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    if let error = change.error { return completion(error) }
    let isHandled: Void? = ifOwned { contents in
      completion(apply(change, on: clock, in: contents))
    }
    if isHandled != nil { return }
    enqueue { [self] in
      _ = ifOwned { completion(apply(change, on: clock, in: $0)) }
    }
  }

  private func apply(
    _ change: TimerChange, on clock: any SchedulerType, in contents: Contents
  ) -> (any Error)? {
    guard !contents.isShutDown else { return nil }
    if let store = contents.context as? any TimerStoringContext { return store.change(change) }
    let timers = contents.localTimers ?? LocalTimers()
    contents.localTimers = timers
    timers.apply(change, on: clock) { [weak self] number, timer in
      guard let self else { return }
      enqueue { [weak self] in
        RequestContext.$current.withValue(.timer(change.id)) {
          self?.fire(timer, of: change.id, number: number, on: clock)
        }
      }
    }
    return nil
  }

  /// Executes the action of a local timer.
  ///
  /// Called in the serial context.
  private func fire(
    _ timer: TimerChange.Timer, of id: String, number: UInt64, on clock: any SchedulerType
  ) {
    _ = ifOwned { contents in
      guard !contents.isShutDown, contents.localTimers?.remove(id, number: number) == true,
        let action = timer.action as? Action
      else { return }
      if let due = timer.next(at: LocalTimers.now(of: clock)) {
        let next = TimerChange.Timer(
          action: timer.action, due: due, period: timer.period, catchesUp: timer.catchesUp)
        _ = apply(TimerChange(id: id, timer: next), on: clock, in: contents)
      }
      contents.connectIfNeeded()
      contents.execute(action, as: nil)
    }
  }
}
