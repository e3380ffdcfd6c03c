internal import ReactorStreams
internal import Synchronization

/// Asynchronous operations that are executed one at a time, in order.
final class SerialOperations: Sendable {
  /// An operation, which calls `done` once when it has ended.
  typealias Operation = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

  private struct State {
    var isBusy = false
    var waiting = Fifo<Operation>()
  }

  private let state = Mutex(State())

  /// Whether an operation is being executed.
  var isBusy: Bool { state.withLock { $0.isBusy } }

  /// The number of operations that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Executes an operation after those that were added before; on the calling thread if there are
  /// none.
  func add(_ operation: @escaping Operation) {
    let isFirst = state.withLock { state in
      guard state.isBusy else {
        state.isBusy = true
        return true
      }
      state.waiting.append(operation)
      return false
    }
    if isFirst { operation { [self] in next() } }
  }

  private func next() {
    let operation = state.withLock { state -> Operation? in
      let operation = state.waiting.popFirst()
      if operation == nil { state.isBusy = false }
      return operation
    }
    operation? { [self] in next() }
  }
}
