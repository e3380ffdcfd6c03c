import ReactorCore
import ReactorHost
import ReactorStreams

/// Records the names of the subscribers of its session.
final class PresenceReactor: Reactor {
  enum Action: Codable, Sendable {
    case setPresence(Presence)
    case note(String)
  }

  enum Mutation: Codable, Sendable {
    case setNames([String])
    case note(String)
  }

  struct State: Codable, Equatable, Sendable {
    var names: [String] = []
    var notes: [String] = []
  }

  let initialState = State()
  private let context: SessionContext<NoParameters>

  init(_ context: SessionContext<NoParameters>) {
    self.context = context
  }

  func transform(action: Observable<Action>) -> Observable<Action> {
    .merge(action, context.subscribers.map(Action.setPresence))
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .setPresence(let presence):
      let names = presence.subscribers.map(\.name)
      guard ActionOrigin.current == .reactor, names != currentState.names else { return .empty() }
      return .just(.setNames(names))
    case .note(let text): return .just(.note(text))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .setNames(let names): state.names = names
    case .note(let text): state.notes.append(text)
    }
    return state
  }
}
