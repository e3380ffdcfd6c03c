import ReactorCore
import ReactorStreams

/// Adds a number in an effect that outlives its turn.
final class SlowReactor: Reactor {
  enum Action: Codable, Sendable {
    case add(Int)
    /// Adds after an hour.
    case addLater(Int)
  }

  enum Mutation: Codable, Sendable {
    case add(Int)
  }

  struct State: Codable, Sendable {
    var value = 0
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    let (amount, delay) =
      switch action {
      case .add(let amount): (amount, Duration.milliseconds(100))
      case .addLater(let amount): (amount, Duration.seconds(3_600))
      }
    return .run { send in
      try await Task.sleep(for: delay)
      send(.add(amount))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    if case .add(let amount) = mutation { state.value += amount }
    return state
  }
}
