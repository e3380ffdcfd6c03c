public import Synchronization

/// A value with a lock that closures can capture, such as the state of one subscription.
@usableFromInline
package final class Box<Value: Sendable>: Sendable {
  @usableFromInline let mutex: Mutex<Value>

  @inlinable
  package init(_ value: Value) {
    mutex = Mutex(value)
  }

  /// A copy of the value.
  @inlinable
  package var value: Value {
    mutex.withLock { $0 }
  }

  @inlinable
  package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows
    -> Result
  {
    try mutex.withLock { value in try body(&value) }
  }
}
