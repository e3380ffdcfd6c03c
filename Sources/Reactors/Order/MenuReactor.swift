public import ReactorCore

/// The menu of a bar: reports which drink was chosen.
public final class MenuReactor: Reactor {
  /// The actions that clients send.
  public enum Action: Codable, Sendable {
    case choose(String)
  }

  /// The changes of the state.
  public enum Mutation: Codable, Sendable {
    case choose(String)
  }

  /// The drinks to choose from.
  public struct State: Codable, Equatable, Sendable {
    var drinks = MenuReactor.drinks

    /// The menu of the house.
    public init() {}
  }

  /// The menu of the house.
  public let initialState = State()

  private static let drinks = ["Latte", "Mocha", "Espresso"]

  /// Returns whether a drink is on the menu.
  static func serves(_ drink: String) -> Bool {
    drinks.contains { $0.utf8.elementsEqual(drink.utf8) }
  }

  /// Rejects a drink that is not on the menu.
  public func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .choose(let drink):
      Self.serves(drink) ? .just(.choose(drink)) : .error(UnknownDrink())
    }
  }
}

private struct UnknownDrink: ActionError {
  var status: Int { 422 }
  var title: String { "The drink is not on the menu" }
  var detail: String? { "Choose one of the drinks of the menu." }
}
