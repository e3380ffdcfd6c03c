public import ReactorCore

/// The router of a flow: creates the mutations of its stack, and holds the instances of its modules.
///
/// It has no other state: the stack is in the State of the flow. Used in the serial context of the
/// flow; the streams that it returns create their mutations when they are subscribed to, in a turn.
///
/// The flow forwards the cases of the stack in its own functions:
///
/// ```swift
/// // mutate:  case .stack(let action): router.mutate(action, in: self)
/// // follow:  case .stack(let mutation): router.follow(mutation, in: self)
/// // reduce:  case .stack(let mutation): router.reduce(&state.stack, mutation, in: self)
/// ```
public final class NavigationRouter<Flow: CoordinatorProtocol>: Router {
  /// The flow, which retains the router.
  private unowned var flow: Flow?

  /// The instances of presented screens, created at their first action or mutation.
  private var screens: [any Screen<Flow>] = []

  /// The instances that reduce, by module.
  ///
  /// Reducing is pure, so that one suffices for all screens.
  private var reducers: [any Screen<Flow>] = []

  /// Creates a router.
  public init() {}

  func bind(to flow: Flow) {
    if self.flow == nil { self.flow = flow }
  }

  // MARK: Forwarding

  /// Returns the mutations of a client's action.
  ///
  /// Fails with a ``NavigationError`` if the action is not possible. A dismissal of a screen that is not
  /// presented has no effect, so that it can be repeated.
  public func mutate(_ action: StackAction<Flow>, in flow: Flow) -> Observable<Flow.Mutation> {
    bind(to: flow)
    let stack = flow.currentState.stack
    switch action {
    case .send(let id, let action):
      guard let entry = stack[id] else { return .error(NavigationError.gone(id)) }
      guard entry.screen.utf8.elementsEqual(action.screen.utf8) else {
        return .error(NavigationError.otherScreen(id, is: entry.screen, not: action.screen))
      }
      return send(action.value, to: entry, in: flow)
    case .dismiss(let id):
      guard let index = stack.index(of: id) else { return .empty() }
      if let error = rejection(ofDismissing: stack.entries[index...], in: flow) {
        return .error(error)
      }
      return .just(.stack(Self.dismissal(of: stack.entries[index...], animated: true)))
    case .open(let path): return open(path, in: flow, isByClient: true)
    }
  }

  /// Returns the mutations that follow from a change of the stack: those of the changed screen, and
  /// those of the coordinated steps.
  public func follow(_ mutation: StackMutation<Flow>, in flow: Flow) -> Observable<Flow.Mutation> {
    bind(to: flow)
    switch mutation {
    case .present: return .empty()
    case .dismiss(let entries, _): return didDismiss(entries, in: flow)
    case .replace(_, let dismissed): return didDismiss([dismissed], in: flow)
    case .change(let id, let mutation): return didChange(id, by: mutation, in: flow)
    }
  }

  /// Folds a change into a stack.
  ///
  /// Pure: it depends on its arguments and on the declarations of the modules.
  public func reduce(
    _ stack: inout Stack<Flow>, _ mutation: StackMutation<Flow>, in flow: Flow
  ) {
    stack.removed = []
    switch mutation {
    case .present(let entry): stack.push(entry)
    case .dismiss(let entries, _): stack.remove(entries.map(\.id))
    case .replace(let entry, let dismissed): stack.replace(dismissed.id, by: entry)
    case .change(let id, let mutation):
      guard let index = stack.index(of: id),
        stack.entries[index].screen.utf8.elementsEqual(mutation.screen.utf8)
      else { return }
      let reducer = reducer(of: mutation.screen, in: flow)
      guard let state = reducer?.reduce(stack.entries[index].state, mutation.value) else { return }
      stack.entries[index].state = state
    }
  }

  // MARK: Navigating

  /// Presents a screen, see ``Router``; fails if there are ``Stack/limit`` screens.
  public func present<ScreenState: Codable & Sendable>(
    _ state: ScreenState, as presentation: Presentation, animated: Bool, onDismissed: Flow.Step?
  ) -> Observable<Flow.Mutation> {
    inTurn { flow in
      let entry = try Self.entry(
        for: state, as: presentation, animated: animated, onDismissed: onDismissed,
        above: flow.currentState.stack)
      return [.present(entry)]
    }
  }

  /// Dismisses all screens above the first.
  public func dismiss(animated: Bool) -> Observable<Flow.Mutation> {
    inTurn { flow in
      let above = flow.currentState.stack.entries.dropFirst()
      return above.isEmpty ? [] : [Self.dismissal(of: above, animated: animated)]
    }
  }

  /// Dismisses the screen on top, unless it is the first.
  public func pop(animated: Bool) -> Observable<Flow.Mutation> {
    inTurn { flow in
      let top = flow.currentState.stack.entries.dropFirst().suffix(1)
      return top.isEmpty ? [] : [Self.dismissal(of: top, animated: animated)]
    }
  }

  /// Dismisses a screen above the first and those above it; without effect if it is not presented.
  public func dismiss(from id: String, animated: Bool) -> Observable<Flow.Mutation> {
    inTurn { flow in
      let stack = flow.currentState.stack
      guard let index = stack.index(of: id) else { return [] }
      guard index > 0 else { throw NavigationError.firstStays }
      return [Self.dismissal(of: stack.entries[index...], animated: animated)]
    }
  }

  /// Replaces the screen on top, which is dismissed, by another one with the same presentation.
  public func replace<ScreenState: Codable & Sendable>(
    with state: ScreenState, animated: Bool = false, onDismissed: Flow.Step? = nil
  ) -> Observable<Flow.Mutation> {
    inTurn { flow in
      let stack = flow.currentState.stack
      guard let top = stack.top else { return [] }
      let entry = try Self.entry(
        for: state, as: top.presentation, animated: animated, onDismissed: onDismissed,
        above: Stack(entries: stack.entries.dropLast(), presented: stack.presented))
      return [.replace(by: entry, dismissed: DismissedEntry(top))]
    }
  }

  /// Sends an action to a presented screen, such as a value of a global that the flow merges.
  public func send<Action: Sendable>(
    _ action: Action, to id: String
  ) -> Observable<Flow.Mutation> {
    deferredInTurn { [self] flow in
      guard let entry = flow.currentState.stack[id] else {
        return .error(NavigationError.gone(id))
      }
      return send(action, to: entry, in: flow)
    }
  }

  /// Goes to a path: the longest common part of the stack stays, other screens are dismissed, and the
  /// missing ones presented without animation.
  public func open(_ path: String) -> Observable<Flow.Mutation> {
    deferredInTurn { [self] in open(path, in: $0, isByClient: false) }
  }

  // MARK: Instances

  func children(of flow: Flow) -> [Child<Flow>] {
    flow.currentState.stack.entries.compactMap { entry in
      screen(of: entry, in: flow)?.coordinator.map { Child(entry: entry, coordinator: $0) }
    }
  }

  private func screen(of entry: Entry<Flow>, in flow: Flow) -> (any Screen<Flow>)? {
    if let screen = screens.first(where: { $0.id.utf8.elementsEqual(entry.id.utf8) }) {
      return screen
    }
    guard let module = Flow.module(named: entry.screen) else { return nil }
    let screen = module.witness.makeScreen(entry.id, of: module.name, in: flow)
    screens.append(screen)
    screen.adopt(entry.state)
    return screen
  }

  private func reducer(of name: String, in flow: Flow) -> (any Screen<Flow>)? {
    let modules = Flow.modules
    if reducers.isEmpty {
      reducers = modules.map { $0.witness.makeScreen("", of: $0.name, in: flow) }
    }
    return modules.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }.map { reducers[$0] }
  }

  private func send(
    _ action: any Sendable, to entry: Entry<Flow>, in flow: Flow
  ) -> Observable<Flow.Mutation> {
    guard let screen = screen(of: entry, in: flow) else {
      return .error(NavigationError.gone(entry.id))
    }
    screen.adopt(entry.state)
    return screen.mutate(action)
      ?? .error(RouterMisuse.wrongAction(for: entry.id, type(of: action)))
  }

  // MARK: Following

  private func didChange(
    _ id: String, by mutation: ModuleMutation<Flow>, in flow: Flow
  ) -> Observable<Flow.Mutation> {
    guard let entry = flow.currentState.stack[id], let screen = screen(of: entry, in: flow),
      let module = Flow.module(named: mutation.screen)
    else { return .empty() }
    screen.adopt(entry.state)
    let following = screen.follow(mutation.value)
    guard let step = module.witness.step(of: mutation.value) else { return following ?? .empty() }
    guard let following else { return flow.coordinate(step) }
    return .merge(.deferredInTurn { following }, coordinated(step))
  }

  private func didDismiss(
    _ entries: [DismissedEntry<Flow>], in flow: Flow
  ) -> Observable<Flow.Mutation> {
    // Only what this mutation has removed: a step is coordinated once.
    let removed = flow.currentState.stack.removed
    let entries = entries.filter { entry in
      removed.contains { $0.utf8.elementsEqual(entry.id.utf8) }
    }
    for entry in entries {
      guard let index = screens.firstIndex(where: { $0.id.utf8.elementsEqual(entry.id.utf8) })
      else { continue }
      screens.remove(at: index).end()
    }
    let steps = entries.compactMap(\.onDismissed)
    guard let first = steps.first else { return .empty() }
    return steps.count == 1 ? flow.coordinate(first) : .merge(steps.map(coordinated))
  }

  private func coordinated(_ step: Flow.Step) -> Observable<Flow.Mutation> {
    deferredInTurn { $0.coordinate(step) }
  }

  // MARK: Turns

  private func inTurn(
    _ mutations: @escaping (Flow) throws -> [StackMutation<Flow>]
  ) -> Observable<Flow.Mutation> {
    guard let flow else { return .error(RouterMisuse.unbound) }
    // Proof: called in the serial context of the subscription, in which the flow is used.
    nonisolated(unsafe) let body = { try mutations(flow).map(Flow.Mutation.stack) }
    return .inTurn { try unsafe body() }
  }

  private func deferredInTurn(
    _ stream: @escaping (Flow) -> Observable<Flow.Mutation>
  ) -> Observable<Flow.Mutation> {
    guard let flow else { return .error(RouterMisuse.unbound) }
    // Proof: as above.
    nonisolated(unsafe) let body = { stream(flow) }
    return .deferredInTurn { unsafe body() }
  }
}
