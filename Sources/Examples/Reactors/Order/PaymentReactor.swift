package import ReactorCore

/// A payment: reports the receipt.
package final class PaymentReactor: Reactor {
  /// The actions that clients send.
  package enum Action: Codable, Sendable {
    case pay
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable {
    case begin
    case paid(receipt: String)
    case failed
  }

  /// The amount, and whether the bank is being called.
  package struct State: Codable, Equatable, Sendable {
    let amount: Int
    var isPaying = false

    /// Creates a payment that has not begun.
    package init(amount: Int) {
      self.amount = amount
    }
  }

  /// A payment of nothing; the flow presents one with an amount.
  package let initialState = State(amount: 0)

  private let bank: any Bank

  /// The call of the bank by this instance.
  private let call = ExclusiveStream()

  /// Creates a reactor.
  package init(bank: any Bank) {
    self.bank = bank
  }

  /// Calls the bank, unless a call is in progress.
  ///
  /// An action that was interrupted by the end of the process is executed again. The State is then
  /// `isPaying` already, and the bank is called again without another `begin`. A failure of the bank
  /// ends the payment before it is reported, so that the client can leave the screen. Another attempt is
  /// permitted after each end of the call, also after its cancellation.
  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .pay:
      guard !call.isRunning else { return .error(AlreadyPaying()) }
      let payment = bank.pay(currentState.amount).map { Mutation.paid(receipt: $0) }
        .catch { .concat(.just(.failed), .error($0)) }
      return call.track(currentState.isPaying ? payment : .concat(.just(.begin), payment))
    }
  }

  /// Applies a mutation.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .begin: state.isPaying = true
    case .paid, .failed: state.isPaying = false
    }
    return state
  }
}

private struct AlreadyPaying: ActionError {
  var status: Int { 409 }
  var title: String { "The payment is in progress" }
  var detail: String? { "Wait for its end." }
}
