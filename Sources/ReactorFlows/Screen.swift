internal import ReactorCore

/// An instance of a module: of a presented screen, or without an id to reduce mutations.
///
/// Used in the serial context of the flow.
protocol Screen<Flow>: AnyObject {
  associatedtype Flow: CoordinatorProtocol

  var id: String { get }

  /// The reactor as a flow; `nil` for any other reactor.
  var coordinator: (any CoordinatorProtocol)? { get }

  /// Sets the State that the reactor sees.
  func adopt(_ state: any ModuleValue)

  /// Returns the mutations of an action; `nil` if the action is of another type.
  func mutate(_ action: any Sendable) -> Observable<Flow.Mutation>?

  /// Returns the mutations that follow from a mutation; `nil` for none.
  func follow(_ mutation: any ModuleValue) -> Observable<Flow.Mutation>?

  /// Folds a mutation into a State; values of other types have no effect.
  func reduce(_ state: any ModuleValue, _ mutation: any ModuleValue) -> any ModuleValue

  /// Ends all effects of the screen.
  func end()
}

final class ReactorScreen<Flow: CoordinatorProtocol, R: Reactor>: Screen
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  let id: String
  private let module: String
  private let reactor: R
  private let following: (any FollowingReactor<R.Action, R.Mutation, R.State>)?
  private let scope = ChildScope()

  init(_ id: String, of module: String, _ reactor: R) {
    self.id = id
    self.module = module
    self.reactor = reactor
    following = reactor as? any FollowingReactor<R.Action, R.Mutation, R.State>
  }

  var coordinator: (any CoordinatorProtocol)? {
    reactor as? any CoordinatorProtocol
  }

  func adopt(_ state: any ModuleValue) {
    if let state = state as? R.State { reactor.adopt(state) }
  }

  func mutate(_ action: any Sendable) -> Observable<Flow.Mutation>? {
    (action as? R.Action).map { changes(reactor.mutateAsChild($0)) }
  }

  func follow(_ mutation: any ModuleValue) -> Observable<Flow.Mutation>? {
    guard let following, let mutation = mutation as? R.Mutation else { return nil }
    let mutations = following.follow(mutation)
    if case .elements(let list) = mutations.source, list.isEmpty { return nil }
    return changes(mutations)
  }

  func reduce(_ state: any ModuleValue, _ mutation: any ModuleValue) -> any ModuleValue {
    guard let known = state as? R.State, let mutation = mutation as? R.Mutation else {
      return state
    }
    return reactor.reduce(state: known, mutation: mutation)
  }

  func end() {
    scope.end()
  }

  /// Returns mutations of the reactor as mutations of the flow, which end with the screen.
  private func changes(_ mutations: Observable<R.Mutation>) -> Observable<Flow.Mutation> {
    let (id, module) = (id, module)
    let change: @Sendable (R.Mutation) -> Flow.Mutation = {
      .stack(.change(id: id, mutation: ModuleMutation(module, $0)))
    }
    if case .just(let mutation) = mutations.source { return .just(change(mutation)) }
    // Proof: the scope delivers events in the serial context, in which the reactor is used.
    nonisolated(unsafe) let reactor = reactor
    return mutations.inScope(scope)
      .do(onError: { unsafe reactor.onError($0, in: .mutate) })
      .map(change)
  }
}
