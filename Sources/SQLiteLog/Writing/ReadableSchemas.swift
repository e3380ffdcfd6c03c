internal import Synchronization

/// The schemas of the snapshots that the hosted reactors can decode.
final class ReadableSchemas: Sendable {
  private struct State {
    var byReactor: [String: String] = [:]
    var changes = 0
  }

  private let state: Mutex<State>

  init(_ byReactor: [String: String] = [:]) {
    state = Mutex(State(byReactor: byReactor, changes: byReactor.count))
  }

  /// The schema of a reactor; `nil` if it is not hosted.
  subscript(reactor: String) -> String? {
    state.withLock { $0.byReactor[reactor] }
  }

  /// The number of times that a schema was set or changed; 0 while no schema is known.
  var changes: Int {
    state.withLock { $0.changes }
  }

  func set(_ schema: String, of reactor: String) {
    state.withLock { state in
      guard state.byReactor.updateValue(schema, forKey: reactor) != schema else { return }
      state.changes += 1
    }
  }
}
