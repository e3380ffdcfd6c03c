public import ReactorCore

/// An instance of a module: the reactor of a presented screen.
///
/// Used in the serial context of the flow. Its closures are specialized for the reactor, see
/// ``ModuleWitness``.
@usableFromInline
final class Screen<Flow: CoordinatorProtocol> {
  @usableFromInline let id: String
  @usableFromInline let module: ModuleWitness<Flow>

  /// The reactor as a flow, or `nil` for any other reactor.
  let coordinator: (any CoordinatorProtocol)?

  /// Sets the `currentState` of the reactor.
  private let adoptState: (any ModuleValue) -> Void

  /// The screen whose State is the `currentState` of the reactor.
  private var adopted: PresentedScreen?

  /// Returns the mutations of an action, or `nil` if the action is of another type.
  @usableFromInline let mutate: (any Sendable) -> Observable<Flow.Mutation>?

  /// Returns the mutations that follow from a mutation, or `nil` if there are none.
  ///
  /// The property is `nil` unless the reactor is a `FollowingReactor`.
  @usableFromInline let follow: ((any ModuleValue) -> Observable<Flow.Mutation>?)?

  private let scope: ChildScope

  @inlinable
  convenience init<R: Reactor>(_ id: String, of module: ModuleWitness<Flow>, _ reactor: R)
  where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
    let origin = ScreenOrigin<Flow>(id: id, kind: module.kind)
    let following = reactor as? any FollowingReactor<R.Action, R.Mutation, R.State>
    self.init(
      origin, module, coordinator: reactor as? any CoordinatorProtocol,
      adoptState: { if let state = known($0, as: R.State.self) { reactor.adopt(state) } },
      mutate: { action in
        guard let action = known(action, as: R.Action.self) else { return nil }
        return origin.changes(reactor.mutateAsChild(action), of: reactor)
      },
      follow: following.map { following in
        { mutation in
          guard let mutation = known(mutation, as: R.Mutation.self) else { return nil }
          let mutations = following.follow(mutation)
          if case .elements(let list) = mutations.source, list.isEmpty { return nil }
          return origin.changes(mutations, of: reactor)
        }
      })
  }

  @usableFromInline
  init(
    _ origin: ScreenOrigin<Flow>, _ module: ModuleWitness<Flow>,
    coordinator: (any CoordinatorProtocol)?,
    adoptState: @escaping (any ModuleValue) -> Void,
    mutate: @escaping (any Sendable) -> Observable<Flow.Mutation>?,
    follow: ((any ModuleValue) -> Observable<Flow.Mutation>?)?
  ) {
    id = origin.id
    self.module = module
    scope = origin.scope
    self.coordinator = coordinator
    coordinator?.bindParts()
    self.adoptState = adoptState
    self.mutate = mutate
    self.follow = follow
  }

  /// Sets the `currentState` of the reactor to the State of the screen.
  @usableFromInline
  func adopt(_ screen: PresentedScreen) {
    guard screen !== adopted else { return }
    adopted = screen
    adoptState(screen.state)
  }

  @usableFromInline
  func isInstance(of screen: PresentedScreen) -> Bool {
    adopted?.facts === screen.facts || id.hasSameBytes(as: screen.facts.id)
  }

  /// Ends all effects of the screen.
  func end() {
    scope.end()
  }
}

/// The origin of a screen's mutations.
@usableFromInline
struct ScreenOrigin<Flow: CoordinatorProtocol>: Sendable {
  @usableFromInline let id: String
  @usableFromInline let kind: ScreenKind
  @usableFromInline let scope = ChildScope()

  @usableFromInline
  init(id: String, kind: ScreenKind) {
    self.id = id
    self.kind = kind
  }

  @inlinable
  func change(_ mutation: any ModuleValue) -> Flow.Mutation {
    .stack(.change(id: id, mutation: ModuleMutation(ScreenMessage(kind, mutation))))
  }

  /// Returns mutations of the reactor as mutations of the flow.
  ///
  /// The stream ends when the screen is dismissed.
  @inlinable
  func changes<R: Reactor>(
    _ mutations: Observable<R.Mutation>, of reactor: R
  ) -> Observable<Flow.Mutation> where R.Mutation: Codable {
    if case .just(let mutation) = mutations.source { return .just(change(mutation)) }
    // Proof: the scope delivers events in the serial context, in which the reactor is used.
    nonisolated(unsafe) let reactor = reactor
    return mutations.inScope(scope)
      .do(onError: { unsafe reactor.onError($0, in: .mutate) })
      .map { change($0) }
  }
}
