/// A scheduler that also executes work without a way to cancel it, which needs fewer allocations.
protocol WorkQueue: SchedulerType {
  /// Executes work as soon as possible.
  func execute(_ work: @escaping @Sendable () -> Void)
}

extension SerialDispatchQueueScheduler: WorkQueue {
  func execute(_ work: @escaping @Sendable () -> Void) {
    if let queue { queue.async(execute: work) } else { tasks.append(work) }
  }
}

extension ConcurrentDispatchQueueScheduler: WorkQueue {
  func execute(_ work: @escaping @Sendable () -> Void) {
    if let queue { queue.async(execute: work) } else { tasks.schedule(after: .zero, work) }
  }
}

extension SerialContextScheduler: WorkQueue {
  func execute(_ work: @escaping @Sendable () -> Void) {
    switch turn {
    case .inPlace where context.isCurrent: work()
    case .queued, .inPlace: context.enqueue(work)
    case .deferred: deferring.append { [context] in context.enqueue(work) }
    }
  }
}
