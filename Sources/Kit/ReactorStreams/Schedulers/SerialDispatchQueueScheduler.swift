public import Dispatch

/// Executes work one item at a time and in order: on a dispatch queue or, without one, in tasks.
public struct SerialDispatchQueueScheduler: SchedulerType {
  let queue: DispatchQueue?
  let tasks: SerialTaskQueue

  /// Creates a scheduler whose work is executed in tasks of a priority.
  ///
  /// - Parameters:
  ///   - qos: The priority.
  ///   - internalSerialQueueName: Ignored, because there is no queue.
  public init(qos: DispatchQoS, internalSerialQueueName: String = "") {
    queue = nil
    tasks = SerialTaskQueue(priority: qos.priority)
  }

  /// Creates a scheduler whose work is executed on a new dispatch queue.
  public init(internalSerialQueueName: String) {
    queue = DispatchQueue(label: internalSerialQueueName)
    tasks = SerialTaskQueue()
  }

  /// Creates a scheduler whose work is executed on a queue.
  ///
  /// - Parameters:
  ///   - queue: The target of the scheduler's own serial queue. It can be concurrent.
  ///   - internalSerialQueueName: The name of the scheduler's own queue.
  ///   - leeway: Ignored. Dispatch accepts no leeway for delayed work.
  public init(
    queue: DispatchQueue, internalSerialQueueName: String,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    self.queue = DispatchQueue(label: internalSerialQueueName, target: queue)
    tasks = SerialTaskQueue()
  }

  /// The time since the clock's first use in the process.
  public var now: Duration {
    TaskScheduler.instance.now
  }

  /// Executes work after all work that was scheduled before it.
  ///
  /// - Returns: A disposable that cancels work that has not started.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    if let queue { return queue.schedule(after: delay, work) }
    let job = ScheduledJob(work)
    if delay > .zero {
      job.hold(
        TaskScheduler.instance.schedule(after: delay) { [tasks] in tasks.append(job.execute) })
    } else {
      tasks.append(job.execute)
    }
    return job
  }
}
