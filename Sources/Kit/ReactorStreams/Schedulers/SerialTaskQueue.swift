internal import Synchronization

/// Executes work in tasks, one item at a time and in order.
///
/// An idle queue has no task.
final class SerialTaskQueue: Sendable {
  private struct State {
    var isRunning = false
    var waiting = Fifo<@Sendable () -> Void>()
  }

  private let state = Mutex(State())
  private let priority: TaskPriority?

  init(priority: TaskPriority? = nil) {
    self.priority = priority
  }

  func append(_ work: @escaping @Sendable () -> Void) {
    let mustRun = state.withLock { state in
      state.waiting.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if mustRun { Task(priority: priority) { await executeAll() } }
  }

  private func executeAll() async {
    while let work = next() {
      work()
      await Task.yield()
    }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      let work = state.waiting.popFirst()
      state.isRunning = work != nil
      return work
    }
  }
}
