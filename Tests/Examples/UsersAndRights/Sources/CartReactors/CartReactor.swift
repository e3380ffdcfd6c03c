import ReactorCore

/// A shopping cart.
package final class CartReactor: Reactor {
  package enum Action: Codable, Sendable {
    case add(String)
    case applyDiscount
  }

  package enum Mutation: Codable, Sendable {
    case add(String)
    case setDiscount(String)
  }

  package struct State: Codable, Equatable, Sendable {
    var items: [String] = []
    var discountedBy: String?
  }

  package let initialState = State()

  package init() {}

  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .add(let item): .just(.add(item))
    case .applyDiscount:
      .just(.setDiscount(RequestContext.current?.principal?.id ?? "unknown"))
    }
  }

  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .add(let item): state.items.append(item)
    case .setDiscount(let name): state.discountedBy = name
    }
    return state
  }
}
