import ReactorCore

/// A shopping cart.
final class CartReactor: Reactor {
  enum Action: Codable {
    case add(String)
    case applyDiscount
  }

  enum Mutation: Codable {
    case add(String)
    case setDiscount(String)
  }

  struct State: Codable {
    var items: [String] = []
    var discountedBy: String?
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .add(let item): .just(.add(item))
    case .applyDiscount:
      .just(.setDiscount(RequestContext.current?.principal?.id ?? "unknown"))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .add(let item): state.items.append(item)
    case .setDiscount(let name): state.discountedBy = name
    }
    return state
  }
}
