/// Runs work in one serial context.
struct SerialContextScheduler: SchedulerType {
  private let context: any SerialContext
  private let deferring: SerialTaskQueue?

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - context: Where work runs.
  ///   - isAsync: Whether work may not run before `schedule` returned.
  init(_ context: any SerialContext, isAsync: Bool) {
    self.context = context
    deferring = isAsync ? SerialTaskQueue() : nil
  }

  var now: Duration {
    context.timer.now
  }

  func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let job = ScheduledJob(work)
    if delay > .zero {
      job.hold(context.timer.schedule(after: delay) { [context] in context.perform(job.run) })
    } else if let deferring {
      deferring.append { [context] in context.perform(job.run) }
    } else {
      context.perform(job.run)
    }
    return job
  }
}
