public import ReactorCore
internal import ReactorStreams
internal import Synchronization

/// The expected change of a State by an action, shown until the server has responded.
///
/// The change of a rejected action is rolled back. The committed State replaces the expected one in
/// any case.
public struct Prediction<Action: Sendable, State: Sendable>: Sendable {
  let apply: @Sendable (State, Action) -> State

  /// Creates a prediction.
  ///
  /// - Parameter apply: Returns the expected State. Must be pure: it is called again for each new
  ///   State.
  public init(_ apply: @escaping @Sendable (State, Action) -> State) {
    self.apply = apply
  }

  /// Predicts the State with a local instance of the reactor, by its own `mutate` and `reduce`.
  ///
  /// Only the mutations that `mutate` emits synchronously are applied; its effects are cancelled.
  /// `mutate` runs on the client for each shown State: use this prediction for reactors whose
  /// `mutate` has no side effects.
  ///
  /// - Parameter make: Creates the reactor.
  /// - Returns: The prediction.
  public static func local<Local: Reactor>(
    _ make: @escaping @Sendable () -> Local
  ) -> Prediction where Local.Action == Action, Local.State == State {
    Prediction { state, action in
      let reactor = make()
      _ = reactor.pipeline.seed(state)
      let mutations = Mutex<[Local.Mutation]>([])
      reactor.mutate(action: action)
        .subscribe(onNext: { mutation in mutations.withLock { $0.append(mutation) } }).dispose()
      return mutations.withLock { $0 }.reduce(state) { state, mutation in
        reactor.adopt(state)
        return reactor.reduce(state: state, mutation: mutation)
      }
    }
  }
}
