package import ReactorCore

/// A drink and its size.
package struct Drink: Codable, Equatable, Sendable {
  /// The name of the drink.
  package let name: String

  /// The size.
  package let size: Size

  /// The sizes of a drink.
  package enum Size: String, Codable, Sendable {
    case small, large
  }
}

/// The choice of a drink's size: reports the drink when it is added to the order.
package final class DrinkReactor: Reactor {
  /// The actions that clients send.
  package enum Action: Codable, Sendable {
    case size(Drink.Size)
    case add
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case setSize(Drink.Size)
    case added(Drink)
  }

  /// The drink chosen so far.
  package struct State: Codable, Equatable, Sendable {
    let name: String
    var size = Drink.Size.small

    /// Creates a small drink.
    package init(name: String) {
      self.name = name
    }
  }

  /// A drink without a name; the flow presents one with a name.
  package let initialState = State(name: "")

  /// Sets the size, or adds the drink with it.
  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .size(let size): .just(.setSize(size))
    case .add: .just(.added(Drink(name: currentState.name, size: currentState.size)))
    }
  }

  /// Applies a mutation.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    if case .setSize(let size) = mutation { state.size = size }
    return state
  }
}
