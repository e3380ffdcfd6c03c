public import ReactorStreams

/// A state machine that turns actions into mutations and folds mutations into a state.
///
/// ```swift
/// final class CounterReactor: Reactor {
///   enum Action { case increase, add(Int) }
///   enum Mutation { case change(by: Int) }
///   struct State { var value = 0 }
///
///   let initialState = State()
///
///   func mutate(action: Action) -> Observable<Mutation> {
///     switch action {
///     case .increase: .just(.change(by: 1))
///     case .add(let amount): .just(.change(by: amount))
///     }
///   }
///
///   func reduce(state: State, mutation: Mutation) -> State {
///     var state = state
///     switch mutation {
///     case .change(let amount): state.value += amount
///     }
///     return state
///   }
/// }
/// ```
///
/// The name stands for a class and a protocol together, so that writing `class X: Reactor`, as in
/// ReactorKit, also gives the instance a place for its pipeline. ReactorKit keeps it in global
/// tables keyed by the object, behind one lock for all reactors of the process.
public typealias Reactor = ReactorInstance & ReactorProtocol

/// What a reactor declares and implements.
///
/// Conform to ``Reactor``, which adds the pipeline.
///
/// Everything here is called in the reactor's own serial context: one call at a time, each seeing
/// what the one before did, on the thread that brought the work. No lock is held during a call.
public protocol ReactorProtocol<Action, Mutation, State>: AnyObject {
  /// What a client asks for.
  associatedtype Action: Sendable

  /// One change of the state.
  associatedtype Mutation: Sendable = Action

  /// What clients see.
  associatedtype State: Sendable

  /// The state before the first mutation. Read once, when the pipeline is connected.
  var initialState: State { get }

  /// Turns an action into mutations, at once or over time. Side effects belong here.
  ///
  /// A failure of the returned stream ends the mutations of this action only.
  func mutate(action: Action) -> Observable<Mutation>

  /// Folds a mutation into the state. Must be pure: a log of mutations is replayed through it.
  func reduce(state: State, mutation: Mutation) -> State

  /// Changes the stream of actions. Called once, when the pipeline is connected, and again after
  /// the stream it returned has failed.
  func transform(action: Observable<Action>) -> Observable<Action>

  /// Changes the stream of mutations, or merges others into it. Called as ``transform(action:)``.
  ///
  /// What is merged in may emit on any thread: each of its mutations has a turn of its own, as if it
  /// were an action. A mutation belongs to an action if it comes out while the action's own goes in,
  /// on the way through this stream; what comes out later (`delay`, `debounce`) is nobody's, so that
  /// it is logged without an action and no request waits for it. So may be what goes through a
  /// `share()` that another thread emits into at that moment.
  func transform(mutation: Observable<Mutation>) -> Observable<Mutation>

  /// Changes the stream of states that leave the reactor; `reduce` does not see its changes.
  /// Called as ``transform(action:)``.
  func transform(state: Observable<State>) -> Observable<State>

  /// Told of a failure in one of the reactor's streams. The reactor goes on after each.
  func onError(_ error: any Error, in stage: ReactorStage)
}

/// Where in a reactor something failed.
public enum ReactorStage: String, Sendable {
  /// The stream that ``ReactorProtocol/mutate(action:)`` returned.
  case mutate

  /// The stream that `transform(action:)` returned.
  case transformAction

  /// The stream that `transform(mutation:)` returned.
  case transformMutation

  /// The stream that `transform(state:)` returned.
  case transformState
}

extension ReactorProtocol {
  /// No mutations.
  public func mutate(action: Action) -> Observable<Mutation> { .empty() }

  /// The state as it is.
  public func reduce(state: State, mutation: Mutation) -> State { state }

  /// The actions as they are.
  public func transform(action: Observable<Action>) -> Observable<Action> { action }

  /// The mutations as they are.
  public func transform(mutation: Observable<Mutation>) -> Observable<Mutation> { mutation }

  /// The states as they are.
  public func transform(state: Observable<State>) -> Observable<State> { state }

  /// Ignores the failure; a host reports it all the same.
  public func onError(_ error: any Error, in stage: ReactorStage) {}
}

extension ReactorProtocol where Action == Mutation {
  /// The action itself as the mutation.
  public func mutate(action: Action) -> Observable<Mutation> { .just(action) }
}

extension ReactorProtocol where Self: ReactorInstance {
  /// Where actions are sent.
  ///
  /// Touching it connects the reactor's streams.
  ///
  /// Any thread may send. An action that arrives while another is handled waits its turn.
  public var action: ActionSubject<Action> {
    guard !isStubEnabled else { return recording.action }
    let pipeline = pipeline
    pipeline.connect()
    return pipeline.action
  }

  /// The states: the current one first, then one for each mutation.
  ///
  /// Touching it connects the reactor's streams.
  public var state: Observable<State> {
    guard !isStubEnabled else { return recording.state.asObservable() }
    let pipeline = pipeline
    pipeline.connect()
    return pipeline.state
  }

  /// The state that was emitted last, before any observer was told of it; the initial state where
  /// nothing has been emitted yet.
  ///
  /// Reading it does not connect the reactor's streams.
  @inlinable
  public var currentState: State {
    guard !isStubbed else { return recordedState }
    return pipeline.currentState ?? seededState
  }

  @usableFromInline var recordedState: State {
    recording.state.value
  }

  @usableFromInline var seededState: State {
    pipeline.seed(initialState)
  }
}
