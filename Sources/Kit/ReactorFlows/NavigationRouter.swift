public import ReactorCore

/// The router of a flow: creates the mutations of its stack, and holds the instances of its modules.
///
/// It has no other state: the stack is in the State of the flow. It is used in the serial context
/// of the flow. The streams that it returns create their mutations when they are subscribed to, in
/// a turn.
///
/// The flow forwards the cases of the stack in its own functions:
///
/// ```swift
/// // mutate:  case .stack(let action): router.mutate(action, in: self)
/// // follow:  case .stack(let mutation): router.follow(mutation, in: self)
/// // reduce:  case .stack(let mutation): router.reduce(&state.stack, mutation, in: self)
/// ```
public final class NavigationRouter<Flow: CoordinatorProtocol>: Router {
  /// The flow, which retains the router, or `nil` before the flow is connected or uses the router.
  @usableFromInline unowned var flow: Flow?

  /// The instances of presented screens, created at their first action or mutation.
  @usableFromInline var screens: [Screen<Flow>] = []

  /// The functions that reduce, by module.
  private var reducers: [(kind: ScreenKind, reduce: ScreenReduce)] = []

  /// An empty stream, for a mutation from which no other mutation follows.
  @usableFromInline let none = Observable<Flow.Mutation>.empty()

  /// Creates a router.
  public init() {}

  @inlinable
  func bind(to flow: Flow) {
    if self.flow == nil { self.flow = flow }
  }

  // MARK: Forwarding

  /// Returns the mutations of a client's action.
  ///
  /// Fails with a ``NavigationError`` if the action is not possible. A dismissal of a screen that is not
  /// presented has no effect, so that it can be repeated.
  @inlinable
  public func mutate(_ action: StackAction<Flow>, in flow: Flow) -> Observable<Flow.Mutation> {
    bind(to: flow)
    switch action {
    case .send(let id, let action):
      guard let screen = flow.currentState.stack.contents[id],
        screen.facts.kind.isSame(as: action.message.kind)
      else {
        return .error(rejection(of: action, to: id, in: flow))
      }
      return send(action.message.value, to: screen, in: flow)
    case .dismiss(let id): return dismiss(id, in: flow)
    case .open(let path): return open(path, in: flow, isByClient: true)
    }
  }

  /// Returns the mutations that follow from a change of the stack: those of the changed screen, and
  /// those of the coordinated steps.
  @inlinable
  public func follow(_ mutation: StackMutation<Flow>, in flow: Flow) -> Observable<Flow.Mutation> {
    bind(to: flow)
    switch mutation {
    case .present: return none
    case .dismiss(let entries, _): return didDismiss(entries, in: flow)
    case .replace(_, let dismissed): return didDismiss([dismissed], in: flow)
    case .change(let id, let mutation): return didChange(id, by: mutation, in: flow)
    }
  }

  /// Folds a change into a stack.
  ///
  /// Pure: it depends on its arguments and on the declarations of the modules.
  @inlinable
  public func reduce(
    _ stack: inout Stack<Flow>, _ mutation: StackMutation<Flow>, in flow: Flow
  ) {
    guard case .change(let id, let mutation) = mutation else {
      return stack.contents.apply(mutation)
    }
    stack.contents.removed = []
    guard let index = stack.contents.index(of: id) else { return }
    let screen = stack.contents.entries[index]
    let message = mutation.message
    guard screen.facts.kind.isSame(as: message.kind),
      let reduce = reduce(of: message.kind, in: flow)
    else { return }
    stack.contents.entries[index] = PresentedScreen(
      screen.facts, state: reduce(screen.state, message.value))
  }

  // MARK: Navigating

  /// Presents a screen, see ``Router``; fails if there are ``Stack/limit`` screens.
  public func present<ScreenState: Codable & Sendable>(
    _ state: ScreenState, as presentation: Presentation, animated: Bool, onDismissed: Flow.Step?
  ) -> Observable<Flow.Mutation> {
    inTurn { flow in
      let entry = try Self.entry(
        for: state, as: presentation, animated: animated, onDismissed: onDismissed,
        above: flow.currentState.stack.contents)
      return [.present(entry)]
    }
  }

  /// Dismisses all screens above the first.
  public func dismiss(animated: Bool) -> Observable<Flow.Mutation> {
    inTurn { flow in
      let above = flow.currentState.stack.contents.entries.dropFirst()
      return above.isEmpty ? [] : [Self.dismissal(of: above, animated: animated)]
    }
  }

  /// Dismisses the screen on top, unless it is the first.
  public func pop(animated: Bool) -> Observable<Flow.Mutation> {
    inTurn { flow in
      let top = flow.currentState.stack.contents.entries.dropFirst().suffix(1)
      return top.isEmpty ? [] : [Self.dismissal(of: top, animated: animated)]
    }
  }

  /// Dismisses a screen above the first and those above it; without effect if it is not presented.
  public func dismiss(from id: String, animated: Bool) -> Observable<Flow.Mutation> {
    inTurn { flow in
      let stack = flow.currentState.stack.contents
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
      var stack = flow.currentState.stack.contents
      guard let top = stack.entries.popLast() else { return [] }
      let entry = try Self.entry(
        for: state, as: top.facts.presentation, animated: animated, onDismissed: onDismissed,
        above: stack)
      return [.replace(by: entry, dismissed: DismissedEntry(top))]
    }
  }

  /// Sends an action to a presented screen, such as a value of a global that the flow merges.
  public func send<Action: Sendable>(
    _ action: Action, to id: String
  ) -> Observable<Flow.Mutation> {
    deferredInTurn { [self] flow in
      guard let screen = flow.currentState.stack.contents[id] else {
        return .error(NavigationError.gone(id))
      }
      return send(action, to: screen, in: flow)
    }
  }

  /// Goes to a path: the longest common part of the stack stays, other screens are dismissed, and the
  /// missing ones presented without animation.
  public func open(_ path: String) -> Observable<Flow.Mutation> {
    deferredInTurn { [self] in open(path, in: $0, isByClient: false) }
  }

  // MARK: Instances

  func children(of flow: Flow) -> [Child<Flow>] {
    flow.currentState.stack.contents.entries.compactMap { entry in
      instance(of: entry, in: flow)?.coordinator.map {
        Child(entry: Entry(contents: entry), coordinator: $0)
      }
    }
  }

  @inlinable
  func instance(of screen: PresentedScreen, in flow: Flow) -> Screen<Flow>? {
    for known in screens where known.isInstance(of: screen) { return known }
    return makeInstance(of: screen, in: flow)
  }

  @usableFromInline
  func makeInstance(of screen: PresentedScreen, in flow: Flow) -> Screen<Flow>? {
    guard let module = Flow.module(named: screen.facts.kind.name) else { return nil }
    let made = module.makeScreen(screen.facts.id, module, flow)
    screens.append(made)
    made.adopt(screen)
    return made
  }

  @usableFromInline
  func reduce(of kind: ScreenKind, in flow: Flow) -> ScreenReduce? {
    if let known = reducers.first(where: { $0.kind.isSame(as: kind) }) { return known.reduce }
    guard let module = Flow.module(named: kind.name) else { return nil }
    let made = module.makeReduce(flow)
    reducers.append((kind, made))
    return made
  }

  @inlinable
  func send(
    _ action: any Sendable, to screen: PresentedScreen, in flow: Flow
  ) -> Observable<Flow.Mutation> {
    guard let instance = instance(of: screen, in: flow) else {
      return .error(NavigationError.gone(screen.facts.id))
    }
    instance.adopt(screen)
    return instance.mutate(action)
      ?? .error(RouterMisuse.wrongAction(for: screen.facts.id, type(of: action)))
  }

  // MARK: Following

  @inlinable
  func didChange(
    _ id: String, by mutation: ModuleMutation<Flow>, in flow: Flow
  ) -> Observable<Flow.Mutation> {
    guard let screen = flow.currentState.stack.contents[id],
      let instance = instance(of: screen, in: flow)
    else { return none }
    instance.adopt(screen)
    let value = mutation.message.value
    let following = instance.follow?(value)
    guard let step = instance.module.step(value) else { return following ?? none }
    guard let following else { return flow.coordinate(step) }
    return .merge(.deferredInTurn { following }, coordinated(step))
  }

  @usableFromInline
  func didDismiss(
    _ entries: [DismissedEntry<Flow>], in flow: Flow
  ) -> Observable<Flow.Mutation> {
    // Only the screens that this mutation has removed, so that a step is coordinated once.
    let removed = flow.currentState.stack.contents.removed
    let entries = entries.filter { entry in removed.contains { $0.hasSameBytes(as: entry.id) } }
    for entry in entries {
      guard let index = screens.firstIndex(where: { $0.id.hasSameBytes(as: entry.id) })
      else { continue }
      screens.remove(at: index).end()
    }
    let steps = entries.compactMap(\.onDismissed)
    guard let first = steps.first else { return .empty() }
    return steps.count == 1 ? flow.coordinate(first) : .merge(steps.map(coordinated))
  }

  @usableFromInline
  func coordinated(_ step: Flow.Step) -> Observable<Flow.Mutation> {
    deferredInTurn { $0.coordinate(step) }
  }

  // MARK: Turns

  private func inTurn(
    _ mutations: @escaping (Flow) throws -> [StackMutation<Flow>]
  ) -> Observable<Flow.Mutation> {
    // Proof: called in the serial context of the subscription, in which the flow is used.
    nonisolated(unsafe) let body = { [self] in
      guard let flow else { throw RouterMisuse.unbound }
      return try mutations(flow).map(Flow.Mutation.stack)
    }
    return .inTurn { try unsafe body() }
  }

  private func deferredInTurn(
    _ stream: @escaping (Flow) -> Observable<Flow.Mutation>
  ) -> Observable<Flow.Mutation> {
    // Proof: as above.
    nonisolated(unsafe) let body = { [self] in
      flow.map(stream) ?? .error(RouterMisuse.unbound)
    }
    return .deferredInTurn { unsafe body() }
  }
}
