import Glibc
import Synchronization

/// What a test saw, in order; any thread may add to it.
final class Recorder<Value: Sendable>: Sendable {
  private let recorded = Mutex<[Value]>([])

  var values: [Value] {
    recorded.withLock { $0 }
  }

  func add(_ value: Value) {
    recorded.withLock { $0.append(value) }
  }

  /// Waits until so many values were added.
  func values(waitingFor count: Int) -> [Value] {
    while values.count < count { sched_yield() }
    return values
  }
}
