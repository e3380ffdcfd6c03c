/// Runs work in tasks of the process, on whatever thread is free.
public struct TaskScheduler: SchedulerType {
  /// The one that is used unless another is named.
  public static let instance = TaskScheduler()

  private static let start = ContinuousClock.now

  /// The time since the process first asked.
  public var now: Duration {
    ContinuousClock.now - Self.start
  }

  /// Runs work in a task, after a time.
  ///
  /// - Returns: What cancels the task.
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    let task = Task {
      if delay > .zero {
        try await Task.sleep(for: delay, clock: .continuous)
      }
      try Task.checkCancellation()
      work()
    }
    return Disposables.create { task.cancel() }
  }
}
