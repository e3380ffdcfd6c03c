/// Runs work on the thread that schedules it: at once, or, where that thread is running such work
/// already, when that is done.
///
/// This row is called a trampoline.
public struct CurrentThreadScheduler: SchedulerType {
  /// The one there is.
  public static let instance = CurrentThreadScheduler()

  /// Whether the calling thread runs no trampoline, so that work which is scheduled runs at once.
  public static var isScheduleRequired: Bool {
    Trampoline.ofCurrentThread == nil
  }

  /// The time since the process first asked.
  public var now: Duration {
    TaskScheduler.instance.now
  }

  /// Runs work on this thread; after a time that is positive, on whatever thread is free then.
  ///
  /// - Returns: What keeps the work from running if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let job = ScheduledJob(work)
    if delay > .zero {
      job.hold(TaskScheduler.instance.schedule(after: delay) { Trampoline.run(job) })
    } else {
      Trampoline.run(job)
    }
    return job
  }
}
