internal import Synchronization

/// The exchanges whose connections libmicrohttpd holds for us.
///
/// libmicrohttpd aborts the process when it is stopped while a connection is suspended. So the
/// server closes this list first: whoever is on it is resumed, and nobody gets on it any more.
final class SuspendedExchanges: Sendable {
  private struct State {
    var isClosed = false
    var exchanges: [ObjectIdentifier: Exchange] = [:]
  }

  private let state = Mutex(State())
  private let count: ActivityCount

  init() throws(ServerError) { count = try ActivityCount() }

  /// Registers an exchange that is about to be suspended; false when that is no longer allowed.
  func insert(_ exchange: Exchange) -> Bool {
    count.enter()
    let isInserted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.exchanges[ObjectIdentifier(exchange)] = exchange
      return true
    }
    if !isInserted { count.leave() }
    return isInserted
  }

  /// The connection was resumed: the call into libmicrohttpd has returned.
  func remove(_ exchange: Exchange) {
    state.withLock { _ = $0.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }
    count.leave()
  }

  /// Allows no more suspending, and tells who is suspended.
  func close() -> [Exchange] {
    state.withLock { state in
      state.isClosed = true
      return Array(state.exchanges.values)
    }
  }

  /// Blocks until every exchange was removed.
  ///
  /// After `close()` and an answer to each that it returned, this takes no longer than the resuming
  /// threads need to return.
  func waitUntilEmpty() {
    while !count.waitUntilIdle(deadline: .max) {}
  }
}
