import ReactorCore
import ReactorHost
import ReactorStreams

/// A reactor with each kind of action that a host handles.
final class SampleReactor: Reactor {
  enum Action: Codable, Sendable {
    case add(Int)
    case addTwice(Int)
    case fail
    case hold(String)
    case nothing
    case pause(String)
    case poison
  }

  enum Mutation: Codable, Sendable {
    case add(Int)
    case setName(String?)
    case setRatio(Double)
  }

  struct State: Codable, Sendable {
    var value = 0
    var name: String?
    var ratio: Double?
  }

  let initialState = State()
  private let effects: EffectBoard
  private let name: Observable<String?>

  init(effects: EffectBoard, name: Observable<String?>) {
    self.effects = effects
    self.name = name
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .add(let amount): .just(.add(amount))
    case .addTwice(let amount): .of(.add(amount), .add(amount))
    case .fail: .concat(.just(.add(1000)), .error(Mishap()))
    case .hold(let name): effects[name].asObservable()
    case .nothing: .empty()
    case .pause(let name):
      .deferred { [effects] in
        effects.play(name)
        return .empty()
      }
    case .poison: .just(.setRatio(.nan))
    }
  }

  func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
    .merge(mutation, name.map(Mutation.setName))
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .add(let amount): state.value += amount
    case .setName(let name): state.name = name
    case .setRatio(let ratio): state.ratio = ratio
    }
    return state
  }
}

/// The error of a test.
struct Mishap: Error {}
