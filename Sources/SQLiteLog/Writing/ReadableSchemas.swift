internal import Synchronization

/// The schemas of the snapshots that the hosted reactors can read.
final class ReadableSchemas: Sendable {
  private struct State {
    var byReactor: [String: String] = [:]
    var changes = 0
  }

  private let state: Mutex<State>

  init(_ byReactor: [String: String] = [:]) {
    state = Mutex(State(byReactor: byReactor, changes: byReactor.count))
  }

  /// The schema of a reactor; `nil` where nobody hosts it.
  subscript(reactor: String) -> String? {
    state.withLock { $0.byReactor[reactor] }
  }

  /// How often something changed; 0 where nothing is known.
  var changes: Int {
    state.withLock { $0.changes }
  }

  /// A reactor reads a schema from now on.
  func set(_ schema: String, of reactor: String) {
    state.withLock { state in
      guard state.byReactor.updateValue(schema, forKey: reactor) != schema else { return }
      state.changes += 1
    }
  }
}
