internal import Synchronization

/// The receivers of the library's callbacks, by number.
///
/// A callback gets the number instead of a pointer, so that a late callback of an object that is
/// gone finds nothing instead of freed memory.
final class CallbackTable<Receiver: Sendable>: Sendable {
  private struct Contents {
    var receivers: [UInt: Receiver] = [:]
    var last: UInt = 0
  }

  private let contents = Mutex(Contents())

  /// Adds a receiver and returns its number, which is never 0.
  func add(_ receiver: Receiver) -> UInt {
    contents.withLock { contents in
      contents.last += 1
      contents.receivers[contents.last] = receiver
      return contents.last
    }
  }

  /// Removes a receiver.
  func remove(_ number: UInt) {
    contents.withLock { contents in
      // The receiver is released outside the lock: its `deinit` may use the table.
      contents.receivers.removeValue(forKey: number)
    }.map { withExtendedLifetime($0) {} }
  }

  /// The receiver of a number, or `nil` once it was removed.
  subscript(number: UInt) -> Receiver? { contents.withLock { $0.receivers[number] } }
}
