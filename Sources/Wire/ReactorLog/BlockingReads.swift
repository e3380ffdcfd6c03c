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

/// Blocking variants of the reading functions of a session's log, see ``waitForResult(of:)``.
extension SessionLog {
  package func record() throws(LogError) -> SessionRecord {
    try waitForResult { record(completion: $0) }
  }

  package func load(schema: String? = nil) throws(LogError) -> LoadedSession {
    try waitForResult { load(schema: schema, completion: $0) }
  }

  package func entries(after version: Int, limit: Int) throws(LogError) -> [LogEntry] {
    try waitForResult { entries(after: version, limit: limit, completion: $0) }
  }

  package func snapshot(
    atOrBefore version: Int, of schema: String? = nil
  ) throws(LogError) -> Snapshot? {
    try waitForResult { snapshot(atOrBefore: version, of: schema, completion: $0) }
  }
}

extension MutationLog {
  /// Reads the value of a global and blocks until it is read, see ``waitForResult(of:)``.
  package func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    try waitForResult { sharedValue(name, completion: $0) }
  }
}
