import ReactorCore
import ReactorHost
import ReactorStreams

/// A reactor whose State, actions, mutations, timers and sends contain a value of a type that a release
/// changes.
final class ChangedReactor<Value: Codable & Sendable>: Reactor {
  enum Action: Codable, Sendable {
    case put(Value)
    case remind(Value)
    case hold(Value)
    case send(Value)
  }

  enum Mutation: Codable, Sendable {
    case arrived(Value)
    case armed
  }

  struct State: Codable, Sendable {
    var values: [Value] = []
    var armed = 0
  }

  let initialState = State()
  private let target: SessionReference<ChangedReactor>
  private let holds: Bool

  /// Creates an instance.
  ///
  /// - Parameters:
  ///   - context: The session.
  ///   - holds: Whether effects never end.
  init<Parameters>(_ context: SessionContext<Parameters>, holds: Bool) {
    target = context.session(ChangedReactor.self, context.session.reactor, "target")
    self.holds = holds
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .put(let value): .just(.arrived(value))
    case .remind(let value):
      .concat(
        .just(.armed), schedule(.put(value), at: .now + .seconds(36_000), id: "reminder"))
    case .hold(let value): holds ? .never() : .just(.arrived(value))
    case .send(let value): holds ? .never() : target.sendOnly(.put(value))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .arrived(let value): state.values = (state.values + [value]).suffix(3)
    case .armed: state.armed += 1
    }
    return state
  }
}
