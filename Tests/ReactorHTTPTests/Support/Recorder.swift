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
}
