import Foundation
import Synchronization

/// A value that one thread changes while others wait for a condition on it.
final class Watched<Value: Sendable>: Sendable {
  fileprivate let condition = NSCondition()
  fileprivate let value: Mutex<Value>

  init(_ value: Value) {
    self.value = Mutex(value)
  }

  var current: Value {
    value.withLock { $0 }
  }

  func change(_ body: (inout Value) -> Void) {
    condition.withLock {
      value.withLock { body(&$0) }
      condition.broadcast()
    }
  }

  /// Waits until a function of the value returns a result other than `nil`, or returns `nil` after the
  /// timeout.
  func first<Result>(within time: Duration, _ body: (Value) -> Result?) -> Result? {
    let deadline = Date(timeIntervalSinceNow: time / .seconds(1))
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result = body(current) { return result }
      guard condition.wait(until: deadline) else { return body(current) }
    }
  }
}

extension Watched where Value: RangeReplaceableCollection, Value.Element: Sendable {
  /// Removes the first element, or returns `nil` if there is none before the timeout.
  func takeFirst(within time: Duration) -> Value.Element? {
    let deadline = Date(timeIntervalSinceNow: time / .seconds(1))
    return condition.withLock {
      while true {
        let element = value.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let element { return element }
        guard condition.wait(until: deadline) else { return nil }
      }
    }
  }
}
