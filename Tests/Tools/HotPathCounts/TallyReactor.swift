import ReactorCore
import ReactorStreams
import Synchronization

/// A counter that counts the encodings of its state.
final class TallyReactor: Reactor {
  static let encodes = Atomic<Int>(0)

  enum Action: Codable, Sendable { case increase, add(Int) }
  enum Mutation: Codable, Sendable { case change(by: Int) }

  struct State: Codable, Sendable {
    private enum Key: CodingKey { case value, unit }

    var value = 0
    let unit = "pieces"

    init() {}

    init(from decoder: any Decoder) throws {
      value = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .value)
    }

    func encode(to encoder: any Encoder) throws {
      TallyReactor.encodes.add(1, ordering: .relaxed)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(value, forKey: .value)
      try container.encode(unit, forKey: .unit)
    }
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .increase: .just(.change(by: 1))
    case .add(let amount): .just(.change(by: amount))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .change(let amount): state.value += amount
    }
    return state
  }
}
