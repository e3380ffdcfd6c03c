/// Runs work in tasks, one piece at a time and in order.
///
/// It stands where RxSwift has a serial dispatch queue; there is no queue and no thread of its own.
public struct SerialDispatchQueueScheduler: SchedulerType {
  private let queue: SerialTaskQueue

  /// Makes a scheduler with a row of its own.
  ///
  /// - Parameters:
  ///   - qos: The priority of its tasks.
  ///   - internalSerialQueueName: Accepted so that a file moves over unchanged; it names nothing.
  public init(
    qos: DispatchQoS, internalSerialQueueName: String = ""
  ) {
    queue = SerialTaskQueue(priority: qos.priority)
  }

  /// The time since the process first asked.
  public var now: Duration {
    TaskScheduler.instance.now
  }

  /// Runs work after a time, when what came before it is done.
  ///
  /// - Returns: What keeps the work from running if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let job = ScheduledJob(work)
    if delay > .zero {
      job.hold(TaskScheduler.instance.schedule(after: delay) { [queue] in queue.append(job.run) })
    } else {
      queue.append(job.run)
    }
    return job
  }
}
