package import ReactorCore
package import ReactorFlows

/// The checkout of an order: a tip, then the payment.
///
/// An independent flow, which refers to no other flow.
package final class CheckoutFlow: Coordinator {
  /// The actions that clients send.
  package enum Action: Codable, Sendable {
    case stack(StackAction<CheckoutFlow>)
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable, StackChanging {
    case stack(StackMutation<CheckoutFlow>)
    case finish(receipt: String)
  }

  /// The steps that the screens report.
  package enum Step: Codable, Sendable {
    case proceed(total: Int)
    case paid(receipt: String)
  }

  /// The screens.
  package struct State: Codable, Equatable, Sendable, StackHolding {
    /// The tip, and the payment on top of it.
    package var stack: Stack<CheckoutFlow>

    /// Creates the checkout of a total, which begins with the tip.
    package init(total: Int) {
      stack = Stack(TipReactor.State(price: total))
    }

    /// Whether the bank is being called.
    var isPaying: Bool {
      stack.entries.contains { $0.state(of: PaymentReactor.self)?.isPaying == true }
    }
  }

  /// The screens of the checkout.
  package static let modules: [Module<CheckoutFlow>] = [
    Module("tip", TipReactor.self, make: { _ in TipReactor() }) {
      if case .proceed(let total) = $0 { .proceed(total: total) } else { nil }
    },
    Module("payment", PaymentReactor.self, make: { PaymentReactor(bank: $0.bank) }) {
      if case .paid(let receipt) = $0 { .paid(receipt: receipt) } else { nil }
    },
  ]

  /// A checkout without a total; a parent presents one with a total.
  package let initialState = State(total: 0)

  /// Presents the screens of the checkout.
  package let router = NavigationRouter<CheckoutFlow>()

  let bank: any Bank

  /// Creates a flow.
  package init(bank: any Bank) {
    self.bank = bank
  }

  /// Forwards the actions of the stack.
  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .stack(let action): router.mutate(action, in: self)
    }
  }

  /// Presents the payment after the tip, and finishes the checkout after the payment.
  package func coordinate(_ step: Step) -> Observable<Mutation> {
    switch step {
    case .proceed(let total):
      // A double click reports the step twice.
      currentState.stack.top?.screen == "tip"
        ? present(PaymentReactor.State(amount: total), as: .modal, animated: true) : .empty()
    case .paid(let receipt): .just(.finish(receipt: receipt))
    }
  }

  /// Rejects the dismissal of a payment in progress.
  package func allowsDismissal(of entry: Entry<CheckoutFlow>) -> Bool {
    entry.state(of: PaymentReactor.self)?.isPaying != true
  }

  /// Forwards the mutations of the stack.
  package func follow(_ mutation: Mutation) -> Observable<Mutation> {
    if case .stack(let mutation) = mutation { router.follow(mutation, in: self) } else { .empty() }
  }

  /// Applies a mutation.
  package func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .stack(let mutation): router.reduce(&state.stack, mutation, in: self)
    case .finish: break
    }
    return state
  }
}
