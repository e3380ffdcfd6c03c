public import ReactorCore
public import ReactorStreams

/// A number that goes up and down.
public final class CounterReactor: Reactor {
  /// What a client asks for.
  public enum Action: Codable, Sendable {
    case increase
    case decrease
    case add(Int)
  }

  /// One change of the number.
  public enum Mutation: Codable, Sendable {
    case change(by: Int)
  }

  /// The number.
  public struct State: Codable, Sendable {
    var value = 0
  }

  /// Zero.
  public let initialState = State()

  /// Turns every action into one change, unless the counter would overflow.
  public func mutate(action: Action) -> Observable<Mutation> {
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

  /// Adds a change to the number.
  public func reduce(state: State, mutation: Mutation) -> State {
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
