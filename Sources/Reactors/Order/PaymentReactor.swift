public import ReactorCore

/// A payment: reports the receipt.
public final class PaymentReactor: Reactor {
  /// The actions that clients send.
  public enum Action: Codable, Sendable {
    case pay
  }

  /// The changes of the state.
  public enum Mutation: Codable, Sendable {
    case begin
    case paid(receipt: String)
  }

  /// The amount, and whether the bank is being called.
  public struct State: Codable, Equatable, Sendable {
    let amount: Int
    var isPaying = false

    /// A payment that has not begun.
    public init(amount: Int) {
      self.amount = amount
    }
  }

  /// A payment of nothing; the flow presents one with an amount.
  public let initialState = State(amount: 0)

  private let bank: any Bank

  /// Creates a reactor.
  public init(bank: any Bank) {
    self.bank = bank
  }

  /// Pays once at a time.
  public func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .pay:
      guard !currentState.isPaying else { return .error(AlreadyPaying()) }
      return .concat(
        .just(.begin), bank.pay(currentState.amount).map { .paid(receipt: $0) })
    }
  }

  /// Applies a mutation.
  public func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .begin: state.isPaying = true
    case .paid: state.isPaying = false
    }
    return state
  }
}

private struct AlreadyPaying: ActionError {
  var status: Int { 409 }
  var title: String { "The payment is in progress" }
  var detail: String? { "Wait for its end." }
}
