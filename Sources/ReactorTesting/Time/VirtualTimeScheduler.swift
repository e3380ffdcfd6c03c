public import ReactorStreams
internal import Synchronization

/// A scheduler whose time passes only when it is told to.
///
/// Work runs on the thread that lets time pass, in the order in which it is due, and work that is due
/// at the same time in the order in which it was scheduled. Any thread may schedule.
public final class VirtualTimeScheduler: SchedulerType {
  private struct State {
    var now: Duration
    var agenda = Agenda()
  }

  private let state: Mutex<State>
  private let tick: Duration
  private let delaysImmediateWork: Bool

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - now: The time at the beginning.
  ///   - tick: The unit of its time; what is due in between runs at the next full one.
  ///   - delaysImmediateWork: Whether work that is due at once runs a tick later, as if it took time.
  public init(
    now: Duration = .zero, tick: Duration = .milliseconds(1), delaysImmediateWork: Bool = false
  ) {
    self.tick = max(.nanoseconds(1), tick)
    self.delaysImmediateWork = delaysImmediateWork
    state = Mutex(State(now: now))
  }

  /// The virtual time.
  public var now: Duration {
    state.withLock { $0.now }
  }

  /// Has work run when its time has come.
  ///
  /// - Returns: What keeps the work from running if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let job = ScheduledJob(work)
    state.withLock { state in
      var due = rounded(max(state.now, state.now + delay))
      if delaysImmediateWork, due <= state.now { due = state.now + tick }
      state.agenda.insert(job, due: due)
    }
    return job
  }

  /// Has work run at a time; one that is over means now.
  ///
  /// - Returns: What keeps the work from running if it has not begun.
  @discardableResult
  public func schedule(
    at time: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let job = ScheduledJob(work)
    state.withLock { state in
      state.agenda.insert(job, due: max(state.now, rounded(time)))
    }
    return job
  }

  /// Lets time pass and runs what is due in it.
  public func advance(by duration: Duration) {
    advance(to: now + duration)
  }

  /// Lets time pass until a moment and runs what is due until then, and what that schedules.
  public func advance(to end: Duration) {
    while let job = next(until: end) { job.run() }
    state.withLock { $0.now = max($0.now, end) }
  }

  /// Lets time pass until nothing is left to run.
  ///
  /// Work that always schedules more never ends.
  public func run() {
    while let job = next(until: nil) { job.run() }
  }

  private func next(until end: Duration?) -> ScheduledJob? {
    state.withLock { state in
      guard let (job, due) = state.agenda.popFirst(until: end) else { return nil }
      state.now = max(state.now, due)
      return job
    }
  }

  private func rounded(_ time: Duration) -> Duration {
    let excess = time.attoseconds % tick.attoseconds
    return excess > 0 ? Duration(attoseconds: time.attoseconds - excess) + tick : time
  }
}
