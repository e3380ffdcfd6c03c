import Glibc
import Synchronization

/// Records values in order.
///
/// Any thread may add one.
final class Recorder<Value: Sendable>: Sendable {
  private let recorded = Mutex<[Value]>([])

  var values: [Value] {
    recorded.withLock { $0 }
  }

  func add(_ value: Value) {
    recorded.withLock { $0.append(value) }
  }

  /// Waits until a number of values were added.
  func values(waitingFor count: Int) -> [Value] {
    while values.count < count { sched_yield() }
    return values
  }
}
