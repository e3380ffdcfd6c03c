import ReactorCore
import ReactorFlows
import Synchronization
import Testing

/// A flow that presents and dismisses many screens.
struct LongLivedFlowTests {
  @Test func `10,000 screens with effects that were presented and dismissed leave nothing`() {
    let pages = PageCounter()
    let flow = VisitFlow(pages)
    for _ in 0..<10_000 { flow.action.onNext(.visit) }
    #expect(flow.currentState.visits == 10_000)
    #expect(flow.currentState.stack.entries.map(\.id) == ["1"])
    #expect(flow.children.isEmpty)
    #expect(pages.made.load(ordering: .relaxed) > 10_000)
    // One instance remains: the one that reduces.
    #expect(pages.living.load(ordering: .relaxed) == 1)
  }
}

/// Counts the instances of pages.
private final class PageCounter: Sendable {
  let made = Atomic(0)
  let living = Atomic(0)
}

/// A flow that presents a page, uses it, and dismisses it.
private final class VisitFlow: Coordinator {
  enum Action: Codable, Sendable {
    case stack(StackAction<VisitFlow>)
    case visit
  }

  enum Mutation: Codable, Sendable, StackChanging {
    case stack(StackMutation<VisitFlow>)
    case count
  }

  enum Step: Codable, Sendable { case left }

  struct State: Codable, StackHolding {
    var stack = Stack<VisitFlow>(LobbyReactor.State())
    var visits = 0
  }

  static let modules: [Module<VisitFlow>] = [
    Module("lobby", LobbyReactor.self, make: { _ in LobbyReactor() }),
    Module("page", PageReactor.self, make: { PageReactor($0.pages) }),
  ]

  let initialState = State()
  let router = NavigationRouter<VisitFlow>()
  let pages: PageCounter

  init(_ pages: PageCounter) { self.pages = pages }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .stack(let action): return router.mutate(action, in: self)
    case .visit:
      let id = "\(currentState.stack.presented + 1)"
      return .merge(
        present(PageReactor.State(), animated: false, onDismissed: .left),
        router.send(PageReactor.Action.open, to: id), dismiss(animated: false))
    }
  }

  func coordinate(_ step: Step) -> Observable<Mutation> { .just(.count) }

  func follow(_ mutation: Mutation) -> Observable<Mutation> {
    if case .stack(let mutation) = mutation { router.follow(mutation, in: self) } else { .empty() }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .stack(let mutation): router.reduce(&state.stack, mutation, in: self)
    case .count: state.visits += 1
    }
    return state
  }
}

private final class LobbyReactor: Reactor {
  enum Action: Codable, Sendable { case nothing }
  typealias Mutation = Action
  struct State: Codable { var isLobby = true }
  let initialState = State()
}

/// A page with an effect that runs until it is dismissed.
private final class PageReactor: Reactor {
  enum Action: Codable, Sendable { case open }
  typealias Mutation = Action
  struct State: Codable { var opened = 0 }

  let initialState = State()
  private let pages: PageCounter

  init(_ pages: PageCounter) {
    self.pages = pages
    pages.made.add(1, ordering: .relaxed)
    pages.living.add(1, ordering: .relaxed)
  }

  deinit {
    pages.living.subtract(1, ordering: .relaxed)
  }

  func mutate(action: Action) -> Observable<Mutation> { .merge(.just(.open), .never()) }

  func reduce(state: State, mutation: Mutation) -> State { State(opened: state.opened + 1) }
}
