internal import ReactorStreams

/// The timers of a reactor without a host.
///
/// They are held in memory and fire in the time of a scheduler.
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
    // The entry is stored before the timer can fire, because `fire` waits for the end of the turn.
    let job = clock.schedule(after: delay) { fire(number, timer) }
    entries[change.id] = Entry(number: number, job: job)
  }

  /// Removes the timer with an id if it has the given number.
  ///
  /// - Returns: Whether the timer was removed.
  func remove(_ id: String, number: UInt64) -> Bool {
    guard entries[id]?.number == number else { return false }
    entries[id] = nil
    return true
  }

  static func now(of clock: any SchedulerType) -> WallTime {
    (clock as? any VirtualWallClock)?.wallTime ?? WallTime(milliseconds: WallClock.milliseconds)
  }
}
