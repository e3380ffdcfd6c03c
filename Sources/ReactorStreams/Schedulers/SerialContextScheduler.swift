/// Runs work in one serial context.
struct SerialContextScheduler: SchedulerType {
  /// When work runs that is due at once.
  enum Turn: Sendable {
    /// Now where the context is free, else when it is.
    case queued

    /// Like `queued`, but now also where the calling thread runs the context.
    case inPlace

    /// Like `queued`, but never before `schedule` returned.
    case deferred
  }

  private let context: any SerialContext
  private let turn: Turn
  private let deferring = SerialTaskQueue()

  init(_ context: any SerialContext, turn: Turn) {
    self.context = context
    self.turn = turn
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
      return job
    }
    switch turn {
    case .inPlace where context.isCurrent: job.run()
    case .queued, .inPlace: context.perform(job.run)
    case .deferred: deferring.append { [context] in context.perform(job.run) }
    }
    return job
  }
}
