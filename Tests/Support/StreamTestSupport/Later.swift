import Synchronization

/// A value that is set later.
package final class Later<Value: Sendable>: Sendable {
  private let held = Mutex<Value?>(nil)

  package init() {}

  package var value: Value? {
    held.withLock { $0 }
  }

  package func set(_ value: Value) {
    held.withLock { $0 = value }
  }
}
