public import Synchronization

/// State of one subscription that its handler changes: a lock in a reference, for capture.
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
