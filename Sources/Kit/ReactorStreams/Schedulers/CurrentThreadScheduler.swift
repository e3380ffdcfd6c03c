/// Executes work on the thread that schedules it: immediately or, while that thread is executing
/// scheduled work, after that work.
///
/// Rx calls this queue a trampoline. The outermost subscription on a thread starts it, so work that
/// is scheduled during a subscription is executed when the subscription is set up.
public struct CurrentThreadScheduler: SchedulerType {
  /// The shared instance.
  public static let instance = CurrentThreadScheduler()

  /// Whether the calling thread's trampoline is idle, so that scheduled work is executed
  /// immediately.
  public static var isScheduleRequired: Bool {
    !Trampoline.ofCurrentThread.isRunning
  }

  /// The time since the clock's first use in the process.
  public var now: Duration {
    TaskScheduler.instance.now
  }

  /// Executes work on this thread or, after a positive delay, on any thread.
  ///
  /// - Returns: A disposable that cancels work that has not started.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let job = ScheduledJob(work)
    if delay > .zero {
      job.hold(
        TaskScheduler.instance.schedule(after: delay) {
          Trampoline.ofCurrentThread.schedule(job)
        })
    } else {
      Trampoline.ofCurrentThread.schedule(job)
    }
    return job
  }
}
