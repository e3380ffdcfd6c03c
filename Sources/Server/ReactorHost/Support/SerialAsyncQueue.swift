internal import Synchronization

/// Executes asynchronous operations one at a time, in the order in which they were enqueued.
///
/// An operation can finish asynchronously, on any thread.
package final class SerialAsyncQueue: Sendable {
  /// An operation, which calls `done` exactly once; the next operation begins after that.
  package typealias Operation = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

  private struct State {
    var isBusy = false
    /// Whether a thread is in the loop of ``advance(from:)``, so that operations that finish
    /// synchronously do not nest.
    ///
    /// A `SerialQueue` in its place would add 48 bytes to each session.
    var isAdvancing = false
    /// Empty unless the queue is busy or advancing.
    ///
    /// Its storage is freed with the last element: the idle queue of a session has none.
    var pending: [Operation] = []

    /// Adds an operation; returns it if the queue is idle, so that the caller begins it.
    mutating func enqueue(_ operation: @escaping Operation) -> Operation? {
      guard !isBusy, !isAdvancing else {
        pending.append(operation)
        return nil
      }
      (isBusy, isAdvancing) = (true, true)
      return operation
    }

    /// Ends the current operation.
    ///
    /// - Returns: The next operation, which the caller begins, or `nil` if there is none, or a thread in
    ///   the loop begins it.
    mutating func finish() -> Operation? {
      isBusy = false
      guard !isAdvancing, !pending.isEmpty else { return nil }
      isAdvancing = true
      return dequeue()
    }

    /// Dequeues the next operation; `nil` ends the loop of ``advance(from:)``.
    mutating func dequeue() -> Operation? {
      guard !isBusy, !pending.isEmpty else {
        isAdvancing = false
        return nil
      }
      isBusy = true
      defer { if pending.isEmpty { pending = [] } }
      return pending.removeFirst()
    }
  }

  private let state = Mutex(State())

  /// Creates an idle queue.
  package init() {}

  /// Begins an operation now, or when the earlier operations are done.
  package func enqueue(_ operation: @escaping Operation) {
    if let first = state.withLock({ $0.enqueue(operation) }) { advance(from: first) }
  }

  /// Executes an `async` operation when the earlier operations are done.
  ///
  /// - Parameter body: The operation; the next one begins when it returns or throws.
  /// - Returns: The value that the operation returns.
  /// - Throws: The error that the operation throws.
  package func execute<Value, Failure>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let done = await withCheckedContinuation { continuation in
      enqueue { continuation.resume(returning: $0) }
    }
    defer { done() }
    return try await body()
  }

  private func advance(from first: @escaping Operation) {
    var next: Operation? = first
    while let operation = next {
      operation { [self] in
        if let next = state.withLock({ $0.finish() }) { advance(from: next) }
      }
      next = state.withLock { $0.dequeue() }
    }
  }
}
