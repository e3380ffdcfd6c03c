package import ReactorCore
package import ReactorStreams

/// A counter that clients increase and decrease.
package final class CounterReactor: Reactor {
  /// The actions that clients send.
  package enum Action: Codable, Sendable {
    case increase
    case decrease
    case add(Int)
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case change(by: Int)
  }

  /// The value of the counter.
  package struct State: Codable, Sendable {
    var value = 0
  }

  /// Starts at zero.
  package let initialState = State()

  /// Maps each action to one change; fails if the counter would overflow.
  package func mutate(action: Action) -> Observable<Mutation> {
    let amount =
      switch action {
      case .increase: 1
      case .decrease: -1
      case .add(let amount): amount
      }
    guard !currentState.value.addingReportingOverflow(amount).overflow else {
      return .error(CounterOverflow())
    }
    return .just(.change(by: amount))
  }

  /// Applies a mutation.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .change(let amount): state.value &+= amount
    }
    return state
  }
}

private struct CounterOverflow: ActionError {
  var status: Int { 409 }
  var title: String { "The counter would overflow" }
  var detail: String? { "The number would leave the range of 64 bits. Nothing was changed." }
}
