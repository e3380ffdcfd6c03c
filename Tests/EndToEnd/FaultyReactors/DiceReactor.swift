import ReactorCore

/// A reactor whose `reduce` is not pure.
final class DiceReactor: Reactor {
  enum Action: Codable, Sendable { case roll }
  struct State: Codable, Sendable {
    var rolls = 0
    var number: UInt64 = 0
  }

  let initialState = State()

  func reduce(state: State, mutation: Action) -> State {
    State(rolls: state.rolls + 1, number: .random(in: 1 ... .max))
  }
}
