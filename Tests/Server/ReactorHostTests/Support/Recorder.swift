import LogTestSupport
import ReactorHost
import Synchronization

/// Records values in order.
///
/// Any thread may add one.
final class Recorder<Value: Sendable>: Sendable {
  private let recorded = Mutex<[Value]>([])

  var values: [Value] {
    recorded.withLock { $0 }
  }

  func add(_ value: Value) {
    recorded.withLock { $0.append(value) }
  }

  /// Begins an `async` function on this thread, and records its result: at once, unless it waits for another
  /// thread.
  func add<Success: Sendable>(
    resultOf body: @escaping @Sendable () async throws -> Success
  ) where Value == Result<Success, SessionError> {
    begin(body) { result in
      self.add(
        result.mapError { error in
          guard let error = error as? SessionError else { preconditionFailure("\(error)") }
          return error
        })
    }
  }
}
