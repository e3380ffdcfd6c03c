package import ReactorCore

/// The menu of a bar: reports which drink was chosen.
package final class MenuReactor: Reactor {
  /// The actions that clients send.
  package enum Action: Codable, Sendable {
    case choose(String)
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case choose(String)
  }

  /// The drinks to choose from.
  package struct State: Codable, Equatable, Sendable {
    var drinks = MenuReactor.drinks

    /// The menu of the house.
    package init() {}
  }

  /// The menu of the house.
  package let initialState = State()

  private static let drinks = ["Latte", "Mocha", "Espresso"]

  /// Returns whether a drink is on the menu.
  static func serves(_ drink: String) -> Bool {
    drinks.contains { $0.utf8.elementsEqual(drink.utf8) }
  }

  /// Rejects a drink that is not on the menu.
  package func mutate(action: Action) -> Observable<Mutation> {
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
