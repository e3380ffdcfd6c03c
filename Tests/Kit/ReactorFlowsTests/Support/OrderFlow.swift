import ReactorCore
import ReactorFlows

@testable import Reactors

/// An order: the menu, a drink on top of it, and the checkout, which is a child flow.
final class OrderFlow: Coordinator {
  enum Action: Codable, StackRequesting { case stack(StackAction<OrderFlow>), checkout }

  enum Mutation: Codable, StackChanging {
    case stack(StackMutation<OrderFlow>)
    case add(Drink), close(receipt: String), countAbandoned
  }

  enum Step: Codable { case chosen(String), added(Drink), paid(receipt: String), checkoutLeft }

  struct State: Codable, StackHolding {
    var stack = Stack<OrderFlow>(MenuReactor.State())
    var drinks: [Drink] = []
    var receipt: String?
    var abandoned = 0
  }

  static let modules: [Module<OrderFlow>] = [
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

  let initialState = State()
  let router = NavigationRouter<OrderFlow>()
  let bank: any Bank

  init(bank: any Bank) { self.bank = bank }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .stack(let action): return router.mutate(action, in: self)
    case .checkout:
      let checkout = CheckoutFlow.State(total: currentState.drinks.count * 4)
      return presentChild(checkout, animated: true, onDismissed: .checkoutLeft)
    }
  }

  /// Decides where to go next: the order of screens is defined here and nowhere else.
  func coordinate(_ step: Step) -> Observable<Mutation> {
    switch step {
    case .chosen(let name): present(DrinkReactor.State(name: name), animated: true)
    case .added(let drink): .concat(.just(.add(drink)), dismiss(animated: true))
    case .paid(let receipt): .concat(.just(.close(receipt: receipt)), dismiss(animated: true))
    case .checkoutLeft: currentState.receipt == nil ? .just(.countAbandoned) : .empty()
    }
  }

  func follow(_ mutation: Mutation) -> Observable<Mutation> {
    if case .stack(let mutation) = mutation { router.follow(mutation, in: self) } else { .empty() }
  }

  func reduce(state: State, mutation: Mutation) -> State {
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
