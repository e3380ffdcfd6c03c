import ReactorHost
import ReactorLog

/// Executes an `async` function on this thread, and blocks until it has ended.
///
/// The parts after a wait for another thread are executed there.
package func blocking<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) throws -> Value {
  try waitForResult { completion in begin(body) { completion($0) } }
}

/// Begins an `async` function on this thread.
///
/// - Parameters:
///   - body: The function.
///   - completion: Called with its result: before this function returns, unless it waits for another thread.
package func begin<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value,
  completion: @escaping @Sendable (Result<Value, any Error>) -> Void
) {
  WorkerPool(width: 0).start {
    do {
      completion(.success(try await body()))
    } catch {
      completion(.failure(error))
    }
  }
}
