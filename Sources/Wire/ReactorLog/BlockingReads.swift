internal import Dispatch
internal import Synchronization

/// Waits on the calling thread for the result of an asynchronous call.
///
/// For the start of the process, tools and tests, and for threads that may block. Must not be
/// called on a thread that serves requests, or on a queue on which the completion is called: it
/// would wait forever.
///
/// - Parameter call: Begins the call with the completion that it gets.
/// - Returns: The result.
/// - Throws: The call's error.
package func waitForResult<Value: Sendable, Failure: Error>(
  of call: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
) throws(Failure) -> Value {
  let awaited = AwaitedResult<Value, Failure>()
  call { awaited.set($0) }
  return try awaited.wait().get()
}

/// A result that one thread waits for.
private final class AwaitedResult<Value: Sendable, Failure: Error>: Sendable {
  private let result = Mutex<Result<Value, Failure>?>(nil)
  private let isSet = DispatchSemaphore(value: 0)

  func set(_ value: Result<Value, Failure>) {
    result.withLock { $0 = value }
    isSet.signal()
  }

  func wait() -> Result<Value, Failure> {
    while true {
      if let result = result.withLock({ $0 }) { return result }
      isSet.wait()
    }
  }
}
