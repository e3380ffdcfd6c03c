internal import Synchronization

/// The schemas of the snapshots that the hosted reactors can decode.
package final class ReadableSchemas: Sendable {
  private struct State {
    var byReactor: [String: String] = [:]
    var changes = 0
  }

  private let state: Mutex<State>

  /// Creates schemas by the names of the reactors.
  package init(_ byReactor: [String: String] = [:]) {
    state = Mutex(State(byReactor: byReactor, changes: byReactor.count))
  }

  /// The schema of a reactor, or `nil` if it is not hosted.
  package subscript(reactor: String) -> String? {
    state.withLock { $0.byReactor[reactor] }
  }

  /// The number of times that a schema was set or changed; 0 while no schema is known.
  package var changes: Int {
    state.withLock { $0.changes }
  }

  /// Sets the schema of a reactor.
  package func set(_ schema: String, of reactor: String) {
    state.withLock { state in
      guard state.byReactor.updateValue(schema, forKey: reactor) != schema else { return }
      state.changes += 1
    }
  }
}
