package import ReactorCore
package import ReactorFlows

/// An order: the menu, a drink on top of it, and the checkout, which is a child flow.
package final class OrderFlow: Coordinator {
  /// The actions that clients send.
  package enum Action: Codable, Sendable, StackRequesting {
    case stack(StackAction<OrderFlow>)
    case checkout
  }

  /// The changes of the state.
  package enum Mutation: Codable, Sendable, StackChanging {
    case stack(StackMutation<OrderFlow>)
    case add(Drink)
    case close(receipt: String)
    case countAbandoned
  }

  /// The steps that modules report and dismissals trigger.
  ///
  /// Clients cannot send steps.
  package enum Step: Codable, Sendable {
    case chosen(String)
    case added(Drink)
    case paid(receipt: String)
    case checkoutLeft
  }

  /// The screens and the order.
  package struct State: Codable, Equatable, Sendable, StackHolding {
    /// The menu, and the screens above it.
    package var stack = Stack<OrderFlow>(MenuReactor.State())
    var drinks: [Drink] = []
    var receipt: String?
    var abandoned = 0
  }

  /// The screens of the order.
  package static let modules: [Module<OrderFlow>] = [
    Module("menu", MenuReactor.self, make: { _ in MenuReactor() }) {
      switch $0 {
      case .choose(let name): .chosen(name)
      }
    },
    Module(
      "drink", DrinkReactor.self,
      link: Link("drinks", \.name) { MenuReactor.serves($0) ? .init(name: $0) : nil },
      make: { _ in DrinkReactor() }
    ) {
      if case .added(let drink) = $0 { .added(drink) } else { nil }
    },
    Module("checkout", CheckoutFlow.self, make: { CheckoutFlow(bank: $0.bank) }) {
      if case .finish(let receipt) = $0 { .paid(receipt: receipt) } else { nil }
    },
  ]

  /// The maximum number of drinks of an order.
  static let drinkLimit = 100

  /// The menu, and no drinks.
  package let initialState = State()

  /// Presents the screens of the order.
  package let router = NavigationRouter<OrderFlow>()

  let bank: any Bank

  /// Creates a flow.
  ///
  /// - Parameter bank: Accepts the payments.
  package init(bank: any Bank) {
    self.bank = bank
  }

  /// Forwards the actions of the stack, and begins the checkout.
  package func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .stack(let action): return router.mutate(action, in: self)
    case .checkout:
      guard !currentState.drinks.isEmpty else { return .error(NothingOrdered()) }
      // A double click, or another client, has begun the checkout already.
      guard children.isEmpty else { return .empty() }
      let checkout = CheckoutFlow.State(total: currentState.drinks.count * 4)
      return presentChild(checkout, animated: true, onDismissed: .checkoutLeft)
    }
  }

  /// Presents or dismisses screens after a step.
  ///
  /// This function alone defines the order of the screens.
  package func coordinate(_ step: Step) -> Observable<Mutation> {
    switch step {
    case .chosen(let name): present(DrinkReactor.State(name: name), animated: true)
    case .added(let drink):
      currentState.drinks.count < Self.drinkLimit
        ? .concat(.just(.add(drink)), dismiss(animated: true)) : .error(FullOrder())
    case .paid(let receipt): .concat(.just(.close(receipt: receipt)), dismiss(animated: true))
    case .checkoutLeft: currentState.receipt == nil ? .just(.countAbandoned) : .empty()
    }
  }

  /// Rejects the dismissal of the checkout while the bank is being called.
  package func allowsDismissal(of entry: Entry<OrderFlow>) -> Bool {
    entry.state(of: CheckoutFlow.self)?.isPaying != true
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
    case .add(let drink): (state.drinks, state.receipt) = (state.drinks + [drink], nil)
    case .close(let receipt): (state.drinks, state.receipt) = ([], receipt)
    case .countAbandoned: state.abandoned += 1
    }
    return state
  }
}

private struct NothingOrdered: ActionError {
  var status: Int { 409 }
  var title: String { "Nothing is ordered yet" }
  var detail: String? { "Add a drink first." }
}

private struct FullOrder: ActionError {
  var status: Int { 409 }
  var title: String { "The order is full" }
  var detail: String? { "An order has at most \(OrderFlow.drinkLimit) drinks. Check out first." }
}
