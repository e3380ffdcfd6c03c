internal import Dispatch
internal import ReactorLog
internal import Synchronization

/// Executes the reads of the log, and calls completions.
///
/// Reads are asynchronous functions on a queue of their own instead of Swift's pool of threads, which
/// code of the reactors may block. Completions decode, fold and respond to requests, so they are called on a
/// concurrent queue, where they delay neither reads nor acknowledgements.
final class LogExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "nats-reads")
  private let completions = DispatchQueue(label: "nats-completions", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The runtime passes each job once, and the queue executes it once.
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Executes a function, and calls a completion with its result.
  func execute<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(LogError) -> Value,
    completion: @escaping @Sendable (Result<Value, LogError>) -> Void
  ) {
    Task(executorPreference: self) { [self] in
      do throws(LogError) {
        let value = try await body()
        complete { completion(.success(value)) }
      } catch {
        complete { completion(.failure(error)) }
      }
    }
  }

  /// The result of a function with a completion.
  func result<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, LogError>) -> Void) -> Void
  ) async throws(LogError) -> Value {
    let result: Result<Value, LogError> = await withCheckedContinuation { continuation in
      start { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Executes a function, and blocks the calling thread until it has a result.
  ///
  /// Must not be called on the executor itself, or from a completion of the log.
  func wait<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(LogError) -> Value
  ) throws(LogError) -> Value {
    let result = Mutex<Result<Value, LogError>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task(executorPreference: self) {
      do throws(LogError) {
        let value = try await body()
        result.withLock { $0 = .success(value) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      isDone.signal()
    }
    isDone.wait()
    guard let found = result.withLock({ $0 }) else {
      throw .unavailable("The read was interrupted.")
    }
    return try found.get()
  }

  /// Calls a completion on the concurrent queue.
  func complete(_ body: @escaping @Sendable () -> Void) {
    completions.async(execute: body)
  }

  /// Executes a function whose result nothing waits for.
  func detach(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self) { await body() }
  }
}
