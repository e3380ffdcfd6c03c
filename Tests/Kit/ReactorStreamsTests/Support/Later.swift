import Synchronization

/// A value that is set later.
final class Later<Value: Sendable>: Sendable {
  private let held = Mutex<Value?>(nil)

  var value: Value? {
    held.withLock { $0 }
  }

  func set(_ value: Value) {
    held.withLock { $0 = value }
  }
}
