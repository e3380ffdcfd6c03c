public import Dispatch

/// Executes work concurrently: on a dispatch queue or, without one, in tasks.
public struct ConcurrentDispatchQueueScheduler: SchedulerType {
  let queue: DispatchQueue?
  let tasks: TaskScheduler

  /// Creates a scheduler whose work is executed in tasks of a priority.
  public init(qos: DispatchQoS) {
    queue = nil
    tasks = TaskScheduler(priority: qos.priority)
  }

  /// Creates a scheduler on a queue.
  ///
  /// - Parameters:
  ///   - queue: The queue.
  ///   - leeway: Ignored. Dispatch accepts no leeway for delayed work.
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.queue = queue
    tasks = TaskScheduler.instance
  }

  /// The time since the clock's first use in the process.
  public var now: Duration {
    tasks.now
  }

  /// Executes work, immediately or after a delay.
  ///
  /// - Returns: A disposable that cancels work that has not started.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    queue?.schedule(after: delay, work) ?? tasks.schedule(after: delay, work)
  }
}
