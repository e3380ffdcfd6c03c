import ReactorCore
import ReactorStreams

/// Adds a number in an effect that outlives its turn.
final class SlowReactor: Reactor {
  enum Action: Codable, Sendable {
    case add(Int)
  }

  enum Mutation: Codable, Sendable {
    case add(Int)
  }

  struct State: Codable, Sendable {
    var value = 0
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    guard case .add(let amount) = action else { return .empty() }
    return .run { send in
      try await Task.sleep(for: .milliseconds(100))
      send(.add(amount))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    if case .add(let amount) = mutation { state.value += amount }
    return state
  }
}
