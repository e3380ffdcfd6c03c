package import ReactorCore

/// The choice of a tip: reports it when the client continues.
package final class TipReactor: Reactor {
  /// The actions that clients send.
  package enum Action: Codable, Sendable {
    case tip(Int)
    case proceed
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case setTip(Int)
    case proceed(total: Int)
  }

  /// The price and the tip.
  package struct State: Codable, Equatable, Sendable {
    let price: Int
    var tip = 0

    /// Creates an order without a tip.
    package init(price: Int) {
      self.price = price
    }
  }

  /// A free order; the flow begins with a price.
  package let initialState = State(price: 0)

  /// Rejects a tip below 0 or above 100.
  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .tip(let tip): (0...100).contains(tip) ? .just(.setTip(tip)) : .error(UnusualTip())
    case .proceed: .just(.proceed(total: currentState.price + currentState.tip))
    }
  }

  /// Applies a mutation.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    if case .setTip(let tip) = mutation { state.tip = tip }
    return state
  }
}

private struct UnusualTip: ActionError {
  var status: Int { 422 }
  var title: String { "The tip is unusual" }
  var detail: String? { "Choose a tip from 0 to 100." }
}
