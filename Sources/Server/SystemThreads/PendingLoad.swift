internal import Synchronization

/// The pending requests of a thread that executes them: those whose completion has not returned.
package final class PendingLoad: Sendable {
  private struct Load {
    var requests = 0
    var bytes = 0
    /// Whether a thread waits until no request is pending.
    var isAwaited = false
  }

  /// The maximum number of pending requests.
  private static let requestBound = 65_536
  /// The maximum number of bytes of the pending requests, unless there is only one.
  private static let byteBound = 268_435_456

  private let load = Mutex(Load())
  private let isIdle = Semaphore()
  private let hasEnded = Semaphore()

  /// Creates a load without requests.
  package init() {}

  /// Adds a request, unless too much is pending.
  ///
  /// - Parameter bytes: The size of the request.
  /// - Returns: Whether the request was added.
  package func admit(bytes: Int) -> Bool {
    load.withLock { load in
      guard load.requests < Self.requestBound,
        load.bytes < Self.byteBound - bytes || load.requests == 0
      else { return false }
      load.requests += 1
      load.bytes += bytes
      return true
    }
  }

  /// Adds a request without a size, even if too much is pending.
  package func add() { load.withLock { $0.requests += 1 } }

  /// Removes requests whose completions have returned.
  ///
  /// - Parameters:
  ///   - count: The number of requests.
  ///   - bytes: Their size.
  package func remove(_ count: Int = 1, bytes: Int = 0) {
    let isAwaited = load.withLock { load in
      load.requests -= count
      load.bytes -= bytes
      guard load.requests == 0, load.isAwaited else { return false }
      load.isAwaited = false
      return true
    }
    if isAwaited { isIdle.signal() }
  }

  /// Whether a thread waits until no request is pending.
  package var idlenessIsAwaited: Bool { load.withLock { $0.isAwaited } }

  /// Blocks until no request is pending, including those that completions add.
  package func waitUntilIdle(within time: Duration) {
    let isBusy = load.withLock { load in
      load.isAwaited = load.requests > 0
      return load.isAwaited
    }
    if isBusy { Self.wait(for: isIdle, within: time) }
  }

  /// Ends the wait of ``waitUntilEnded(within:)``, now or later.
  package func end() { hasEnded.signal() }

  /// Blocks until ``end()`` is called.
  ///
  /// - Returns: Whether it was called in time.
  package func waitUntilEnded(within time: Duration) -> Bool {
    Self.wait(for: hasEnded, within: time)
  }

  @discardableResult
  private static func wait(for semaphore: Semaphore, within time: Duration) -> Bool {
    // A time that a semaphore accepts.
    let isSignalled = semaphore.wait(for: min(max(time, .zero), .seconds(1_000_000_000)))
    if isSignalled { semaphore.signal() }  // for other waiting threads
    return isSignalled
  }
}
