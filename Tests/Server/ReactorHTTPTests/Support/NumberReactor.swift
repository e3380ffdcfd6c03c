import ReactorTransport
import ReactorCore
import ReactorStreams

/// A number with a label, and an effect that a test drives by hand.
final class NumberReactor: Reactor {
  enum Action: Codable, Sendable {
    case add(Int)
    case label(String)
    case fail
    case refuse(Int)
    case hold
  }

  enum Mutation: Codable, Sendable {
    case add(Int)
    case label(String)
  }

  struct State: Codable, Sendable {
    var value = 0
    var label = "none"
  }

  struct Refusal: ActionError {
    let status: Int
    var title: String { "Not today" }
  }

  struct Mishap: Error {}

  let initialState = State()
  private let effect: Observable<Mutation>

  init(effect: Observable<Mutation>) {
    self.effect = effect
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .add(let amount): .just(.add(amount))
    case .label(let label): .just(.label(label))
    case .fail: .error(Mishap())
    case .refuse(let status): .concat(.just(.add(1)), .error(Refusal(status: status)))
    case .hold: effect
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .add(let amount): state.value += amount
    case .label(let label): state.label = label
    }
    return state
  }
}
