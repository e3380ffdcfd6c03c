public import ReactorCore

/// A drink and its size.
public struct Drink: Codable, Equatable, Sendable {
  /// The name of the drink.
  public let name: String

  /// The size.
  public let size: Size

  /// The sizes of a drink.
  public enum Size: String, Codable, Sendable {
    case small, large
  }
}

/// The choice of a drink's size: reports the drink when it is added to the order.
public final class DrinkReactor: Reactor {
  /// The actions that clients send.
  public enum Action: Codable, Sendable {
    case size(Drink.Size)
    case add
  }

  /// The changes of the state.
  public enum Mutation: Codable, Sendable {
    case setSize(Drink.Size)
    case added(Drink)
  }

  /// The drink chosen so far.
  public struct State: Codable, Equatable, Sendable {
    let name: String
    var size = Drink.Size.small

    /// Creates a small drink.
    public init(name: String) {
      self.name = name
    }
  }

  /// A drink without a name; the flow presents one with a name.
  public let initialState = State(name: "")

  /// Sets the size, or adds the drink with it.
  public func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .size(let size): .just(.setSize(size))
    case .add: .just(.added(Drink(name: currentState.name, size: currentState.size)))
    }
  }

  /// Applies a mutation.
  public func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    if case .setSize(let size) = mutation { state.size = size }
    return state
  }
}
