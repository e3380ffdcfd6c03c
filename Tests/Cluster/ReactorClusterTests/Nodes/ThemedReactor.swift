import ReactorCore
import ReactorHost
import ReactorStreams

/// Lists the values of a global, in the order in which they arrive.
final class ThemedReactor: Reactor {
  enum Action: Codable, Sendable {
    case touch
  }

  enum Mutation: Codable, Sendable {
    case add(String)
  }

  struct State: Codable, Sendable {
    var themes: [String] = []
  }

  let initialState = State()
  private let theme: Global<String>

  init(_ theme: Global<String>) { self.theme = theme }

  func mutate(action: Action) -> Observable<Mutation> { .just(.add("touched")) }

  func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    .merge(mutation, theme.map(Mutation.add))
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    if case .add(let text) = mutation { state.themes.append(text) }
    return state
  }
}
