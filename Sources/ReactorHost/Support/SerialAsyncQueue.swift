internal import Synchronization

/// Executes asynchronous operations one at a time, in the order in which they were enqueued.
///
/// An operation may finish later and on another thread than it began.
package final class SerialAsyncQueue: Sendable {
  /// An operation; it calls `done` exactly once, and the next operation may begin then.
  package typealias Operation = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

  private struct State {
    var isBusy = false
    /// Whether a thread is in the loop of ``advance()``, so that operations that finish
    /// synchronously do not nest.
    ///
    /// A flag and not a `SerialQueue`, which would add 48 bytes to each session.
    var isAdvancing = false
    var pending: [Operation] = []

    mutating func beginAdvancing() -> Bool {
      defer { isAdvancing = true }
      return !isAdvancing
    }

    /// Dequeues the next operation; `nil` ends the loop of ``advance()``.
    mutating func dequeue() -> Operation? {
      guard !isBusy, !pending.isEmpty else {
        isAdvancing = false
        return nil
      }
      isBusy = true
      return pending.removeFirst()
    }
  }

  private let state = Mutex(State())

  /// Creates an idle queue.
  package init() {}

  /// Begins an operation now, or when those before it are done.
  package func enqueue(_ operation: @escaping Operation) {
    state.withLock { $0.pending.append(operation) }
    advance()
  }

  /// Repeats an operation until it is complete.
  ///
  /// - Parameter operation: Calls its argument exactly once: with `true` to be executed again.
  package func loop(
    _ operation: @escaping @Sendable (_ next: @escaping @Sendable (_ again: Bool) -> Void) -> Void
  ) {
    enqueue { [self] done in
      operation { [self] again in
        if again { loop(operation) }
        done()
      }
    }
  }

  private func advance() {
    guard state.withLock({ $0.beginAdvancing() }) else { return }
    while let operation = state.withLock({ $0.dequeue() }) {
      operation { [self] in
        state.withLock { $0.isBusy = false }
        advance()
      }
    }
  }
}
