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
/// The alias combines a class and a protocol. `class X: Reactor` is written as in ReactorKit, and
/// each instance has storage for its pipeline. ReactorKit uses global tables keyed by the object,
/// behind one lock for all reactors of the process.
public typealias Reactor = ReactorInstance & ReactorProtocol

/// The requirements of a reactor.
///
/// Conform to ``Reactor``, which adds the pipeline.
///
/// All requirements are called in the reactor's serial context: one call at a time. Each call sees the
/// memory writes of the previous call. No lock is held during a call.
///
/// The thread that sends an action to an idle reactor executes the action, and the actions that other
/// threads send meanwhile. ``RequestContext/current`` is that of the sender in each case. Other
/// task-local values are those of the executing thread: do not read them in a reactor.
public protocol ReactorProtocol<Action, Mutation, State>: AnyObject, ReactorInterface {
  // `Action` and `State` are declared again, so that the compiler infers them from the requirements
  // below, as with ReactorKit's protocol.

  /// A request of a client.
  associatedtype Action

  /// One change of the state.
  associatedtype Mutation: Sendable = Action

  /// The value that clients observe.
  associatedtype State

  /// The input of the reactor; ``Reactor`` provides it.
  var action: ActionSubject<Action> { get }

  /// The state before the first mutation.
  ///
  /// Read once: when the pipeline is connected or when `currentState` is read, whichever is first.
  /// Two threads that read `currentState` first, at the same time, can both read it; the result of
  /// one of them is used.
  var initialState: State { get }

  /// Turns an action into mutations, synchronously or over time. Side effects belong here.
  ///
  /// An error of the returned stream ends the mutations of this action only.
  func mutate(action: Action) -> Observable<Mutation>

  /// Folds a mutation into the state. Must be pure: a log of mutations is replayed through it.
  ///
  /// `currentState` is the previous State as observers saw it, in a live session and in every fold of its
  /// log. Nothing else of the reactor may change the result, except `initialState`.
  func reduce(state: State, mutation: Mutation) -> State

  /// Transforms the stream of actions. Called when the pipeline is connected, and again after the
  /// returned stream has failed.
  func transform(action: Observable<Action>) -> Observable<Action>

  /// Transforms the stream of mutations, or merges other streams into it. Called when
  /// ``transform(action:)`` is called.
  ///
  /// A merged stream can emit on any thread; each of its mutations has a turn of its own. A
  /// mutation is attributed to an action if the returned stream emits it synchronously for a
  /// mutation of the action. A mutation that is emitted later (`delay`, `debounce`) is logged
  /// without an action, and no request waits for it. The same can happen with a `share()` that
  /// another thread emits into concurrently.
  func transform(mutation: Observable<Mutation>) -> Observable<Mutation>

  /// Transforms the stream of states that observers see; `reduce` receives the untransformed state.
  /// Called when ``transform(action:)`` is called.
  func transform(state: Observable<State>) -> Observable<State>

  /// The values of a pulse: the current one first; ``Reactor`` provides it.
  ///
  /// A requirement, so that code for any reactor gets the values of a hosted one as well, whose pulses are
  /// their values in JSON.
  func pulse<Result: Sendable>(
    _ transformToPulse: @escaping @Sendable (State) throws -> Pulse<Result>
  ) -> Observable<Result>

  /// Called after an error of one of the reactor's streams. The reactor continues.
  func onError(_ error: any Error, in stage: ReactorStage)
}

/// The stream of a reactor that failed.
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
  /// Returns no mutations.
  public func mutate(action: Action) -> Observable<Mutation> { .empty() }

  /// Returns the state unchanged.
  public func reduce(state: State, mutation: Mutation) -> State { state }

  /// Returns the actions unchanged.
  public func transform(action: Observable<Action>) -> Observable<Action> { action }

  /// Returns the mutations unchanged.
  public func transform(mutation: Observable<Mutation>) -> Observable<Mutation> { mutation }

  /// Returns the states unchanged.
  public func transform(state: Observable<State>) -> Observable<State> { state }

  /// Ignores the error; a host logs it in any case.
  public func onError(_ error: any Error, in stage: ReactorStage) {}
}

extension ReactorProtocol where Action == Mutation {
  /// Returns the action as the mutation.
  public func mutate(action: Action) -> Observable<Mutation> { .just(action) }
}

extension ReactorProtocol where Self: ReactorInstance {
  /// The input of the reactor.
  ///
  /// The first access connects the reactor's streams.
  ///
  /// Any thread can send an action. An action that is sent while another action is executed waits
  /// in the mailbox.
  public var action: ActionSubject<Action> {
    guard !isStubEnabled else { return recording.action }
    let pipeline = pipeline
    pipeline.connect()
    return pipeline.action
  }

  /// The states: the current one first, then one for each mutation.
  ///
  /// The first access connects the reactor's streams.
  public var state: Observable<State> {
    guard !isStubEnabled else { return recording.state.asObservable() }
    let pipeline = pipeline
    pipeline.connect()
    return pipeline.state
  }

  /// The latest state; the initial state before the first mutation.
  ///
  /// The property is updated before observers are notified.
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
