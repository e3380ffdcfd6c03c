public import ReactorStreams
internal import Synchronization

/// A scheduler whose time advances only by its methods.
///
/// Work is executed by the thread that advances the time, ordered by due time and then by the time
/// of scheduling. Any thread can schedule work.
public final class VirtualTimeScheduler: SchedulerType {
  private struct State {
    var now: Duration
    var agenda = Agenda()
  }

  private let state: Mutex<State>
  private let tick: Duration
  private let delaysImmediateWork: Bool

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - now: The initial time.
  ///   - tick: The unit of time; due times are rounded up to it.
  ///   - delaysImmediateWork: Whether work without a delay is executed one tick later.
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

  /// Schedules work after a delay.
  ///
  /// - Returns: A disposable that cancels work that has not started.
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

  /// Schedules work at a time.
  ///
  /// Work at a past time is due immediately.
  ///
  /// - Returns: A disposable that cancels work that has not started.
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

  /// Advances the time by a duration and executes the work that is due.
  public func advance(by duration: Duration) {
    advance(to: now + duration)
  }

  /// Advances the time to a point and executes the work that is due, including work that is
  /// scheduled by it.
  public func advance(to end: Duration) {
    while let job = next(until: end) { job.execute() }
    state.withLock { $0.now = max($0.now, end) }
  }

  /// Advances the time until no work is left.
  ///
  /// It does not return if the work always schedules more work.
  public func run() {
    while let job = next(until: nil) { job.execute() }
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
