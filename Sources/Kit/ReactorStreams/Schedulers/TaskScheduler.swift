/// Executes work in tasks, concurrently and on any thread.
public struct TaskScheduler: SchedulerType {
  /// The default scheduler.
  public static let instance = TaskScheduler()

  private static let start = ContinuousClock.now

  private let priority: TaskPriority?

  /// Creates a scheduler.
  ///
  /// - Parameter priority: The priority of its tasks; `nil` means that of the scheduling task.
  public init(priority: TaskPriority? = nil) {
    self.priority = priority
  }

  /// The time since the clock's first use in the process.
  public var now: Duration {
    ContinuousClock.now - Self.start
  }

  /// Executes work in a task.
  ///
  /// - Returns: A disposable that cancels the task.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let task = Task(priority: priority) {
      if delay > .zero {
        try await Task.sleep(for: delay.clamped, clock: .continuous)
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
