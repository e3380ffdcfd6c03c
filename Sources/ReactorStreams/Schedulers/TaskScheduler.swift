/// Runs work in tasks of the process, on whatever thread is free.
///
/// Two pieces of work may run at the same time, and in another order than they were scheduled in.
public struct TaskScheduler: SchedulerType {
  /// The one that is used unless another is named.
  public static let instance = TaskScheduler()

  private static let start = ContinuousClock.now

  private let priority: TaskPriority?

  /// Makes a scheduler whose tasks have a priority; `nil` means that of who schedules.
  public init(priority: TaskPriority? = nil) {
    self.priority = priority
  }

  /// The time since the process first asked.
  public var now: Duration {
    ContinuousClock.now - Self.start
  }

  /// Runs work in a task, after a time.
  ///
  /// - Returns: What cancels the task.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let task = Task(priority: priority) {
      if delay > .zero {
        try await Task.sleep(for: delay, clock: .continuous)
      }
      try Task.checkCancellation()
      work()
    }
    return TaskDisposable(task: task)
  }
}

/// Cancels a task.
private struct TaskDisposable: Disposable {
  let task: Task<Void, any Error>

  func dispose() {
    task.cancel()
  }
}
