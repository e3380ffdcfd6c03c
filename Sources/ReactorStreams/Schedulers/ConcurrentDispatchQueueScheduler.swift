/// Runs work in tasks, on whatever thread is free.
///
/// It stands where RxSwift has a concurrent dispatch queue, and is a ``TaskScheduler`` by that name.
public struct ConcurrentDispatchQueueScheduler: SchedulerType {
  private let tasks: TaskScheduler

  /// Makes a scheduler whose tasks have a priority.
  public init(qos: DispatchQoS) {
    tasks = TaskScheduler(priority: qos.priority)
  }

  /// The time since the process first asked.
  public var now: Duration {
    tasks.now
  }

  /// Runs work in a task, after a time.
  ///
  /// - Returns: What cancels the task.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    tasks.schedule(after: delay, work)
  }
}
