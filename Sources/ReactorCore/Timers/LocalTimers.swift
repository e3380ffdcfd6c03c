internal import ReactorStreams

/// The timers of a reactor that no host stores, in the time of the pipeline's scheduler.
///
/// Accessed in the serial context only.
final class LocalTimers {
  private struct Entry {
    let number: UInt64
    let job: any Disposable
  }

  private var entries: [String: Entry] = [:]
  private var last: UInt64 = 0

  deinit {
    for entry in entries.values { entry.job.dispose() }
  }

  /// Applies a change.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - clock: The scheduler.
  ///   - fire: Called on any thread when a timer is due, with the number of its entry.
  func apply(
    _ change: TimerChange, on clock: any SchedulerType,
    fire: @escaping @Sendable (_ number: UInt64, TimerChange.Timer) -> Void
  ) {
    entries.removeValue(forKey: change.id)?.job.dispose()
    guard let timer = change.timer else { return }
    last += 1
    let number = last
    let delay = max(.zero, timer.due - Self.now(of: clock))
    // Stored before it can fire, since the work waits for the end of the turn.
    let job = clock.schedule(after: delay) { fire(number, timer) }
    entries[change.id] = Entry(number: number, job: job)
  }

  /// Removes the timer of an id if it is the one with a number.
  ///
  /// - Returns: Whether it was.
  func remove(_ id: String, number: UInt64) -> Bool {
    guard entries[id]?.number == number else { return false }
    entries[id] = nil
    return true
  }

  static func now(of clock: any SchedulerType) -> WallTime {
    (clock as? any VirtualWallClock)?.wallTime ?? WallTime(milliseconds: WallClock.milliseconds)
  }
}

extension Pipeline: TimerOwner {
  /// Changes a timer: in the serial context now, elsewhere in a turn of its own.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - clock: The scheduler of a reactor without a host.
  ///   - completion: Called in the serial context, with the error if the change is rejected.
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
        self?.fire(timer, of: change.id, number: number, on: clock)
      }
    }
    return nil
  }

  /// Sends the action of a local timer, in the serial context.
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
