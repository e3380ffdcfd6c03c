/// Executes work in a given serial context.
struct SerialContextScheduler: SchedulerType {
  /// The treatment of work without a delay.
  enum Turn: Sendable {
    /// Executes the work immediately if the context is idle, otherwise enqueues it.
    case queued

    /// Like `queued`, but also executes the work immediately if the calling thread owns the
    /// context.
    case inPlace

    /// Like `queued`, but from a task: never on the calling thread during `schedule`.
    case deferred
  }

  let context: any SerialContext
  let turn: Turn
  let deferring = SerialTaskQueue()

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
      job.hold(context.timer.schedule(after: delay) { [context] in context.enqueue(job.execute) })
      return job
    }
    execute(job.execute)
    return job
  }
}
