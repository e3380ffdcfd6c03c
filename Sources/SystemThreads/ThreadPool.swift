internal import Glibc
internal import Synchronization

/// Threads that execute functions in the order in which they were added, beside the request threads.
package final class ThreadPool: Sendable {
  /// Linux schedules these threads after others that are ready.
  private static let niceness: Int32 = 5

  private struct State {
    var functions: [(@Sendable () -> Void)?] = []
    /// The index of the next function in `functions`.
    var next = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let available = Semaphore()
  private let threads: Int

  /// Starts the threads, or returns `nil` if the system cannot create them.
  ///
  /// They end after ``close()``.
  ///
  /// - Parameter threads: The number of threads.
  package init?(threads: Int) {
    self.threads = threads
    for _ in 0..<threads {
      guard SystemThread(named: "background", { [self] in executeAll() }) != nil else {
        close()
        return nil
      }
    }
  }

  /// Executes a function on one of the threads; drops it after ``close()``.
  package func execute(_ function: @escaping @Sendable () -> Void) {
    let isAccepted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.functions.append(function)
      return true
    }
    if isAccepted { available.signal() }
  }

  /// Drops the functions that have not started, and ends the threads.
  package func close() {
    let dropped = state.withLock { state -> [(@Sendable () -> Void)?] in
      state.isClosed = true
      defer { (state.functions, state.next) = ([], 0) }
      return state.functions
    }
    // Released outside of the lock: a response guard responds when it is dropped.
    withExtendedLifetime(dropped) {}
    for _ in 0..<threads { available.signal() }
  }

  private func executeAll() {
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
    while true {
      available.wait()
      guard let function = takeNext() else { return }
      function()
    }
  }

  /// Removes and returns the next function; `nil` after ``close()``.
  private func takeNext() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.next < state.functions.count else { return nil }
      let function = state.functions[state.next].take()
      state.next += 1
      if state.next == state.functions.count {
        state.functions.removeAll(keepingCapacity: true)
        state.next = 0
      } else if state.next >= 1024 {
        state.functions.removeFirst(state.next)
        state.next = 0
      }
      return function
    }
  }
}
