public import ReactorStreams
public import Synchronization

/// Executes one reactor: the mailbox, the three stages and the effects.
///
/// Actions, outputs of effects and elements of streams that `transform(mutation:)` merges in are
/// items of one mailbox. The items are handled one at a time. The thread that enqueues an item in
/// an idle mailbox handles it, and the items that arrive in the meantime. A mutation that an item
/// emits synchronously is folded immediately, so that the next step of a `concat` sees the state of
/// the previous step. An action that `reduce` or an observer of the state sends waits until the
/// current item is done.
@usableFromInline
package final class Pipeline<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
  @usableFromInline
  enum Item: Sendable {
    case connect
    case action(Action, (any TrackedEffect)?, CarriedRequest?)
    case transformedAction(Action, (any TrackedEffect)?, CarriedRequest?)
    case effect(EffectSink<Action, Mutation, State>, Event<Mutation>)
    case mutation(Mutation, MutationOrigin, CarriedRequest?)
    case shownState(State)
    case stageFailed(ReactorStage, any Error)
    case stageCompleted(ReactorStage)
    case work(@Sendable () -> Void)
    case effectWork((any TrackedEffect)?, @Sendable () -> Void)
    case shutDown
  }

  @usableFromInline typealias Contents = PipelineContents<Action, Mutation, State>

  /// The scheduler of the reactor: real time, unless the reactor is first used in a context with
  /// virtual time.
  @usableFromInline
  package let timer = CurrentSerialContext.value?.timer ?? TaskScheduler.instance

  @usableFromInline let mailbox: Mailbox<Item, Contents>
  @usableFromInline let front = Mutex(PipelineFront<Action, State>())
  /// Whether ``action`` was accessed.
  ///
  /// A host does not access it.
  @usableFromInline let hasActionSubject = Atomic<Bool>(false)
  private let running = Atomic<Int>(0)
  /// The outputs of the stages that wait in the mailbox.
  let waitingActions = Atomic<UInt32>(0)
  let waitingMutations = Atomic<UInt32>(0)
  let waitingStates = Atomic<UInt32>(0)
  let progress = Mutex<[ObjectIdentifier: Double]>([:])
  let progressIsEnqueued = Atomic<Bool>(false)

  /// Creates a pipeline.
  ///
  /// - Parameters:
  ///   - reactor: The reactor.
  ///   - retainsReactor: Whether the pipeline retains the reactor until it is shut down.
  @usableFromInline
  package init(of reactor: any ReactorProtocol<Action, Mutation, State>, retainsReactor: Bool) {
    // Proof: the pipeline calls the reactor in its mailbox only, one call at a time. The type of a
    // reactor is not Sendable, so its creator cannot pass it to another thread.
    nonisolated(unsafe) let contents = Contents(reactor: reactor, retainsReactor: retainsReactor)
    mailbox = unsafe Mailbox(contents)
  }

  /// The input of the reactor; an action waits in the mailbox.
  package var action: ActionSubject<Action> { action(receivedBy: self) }

  /// The input of the reactor.
  ///
  /// - Parameter receiver: Receives the actions; not retained. The first call sets it.
  /// - Returns: The input.
  package func action(
    receivedBy receiver: any ActionReceiver<Action>
  ) -> ActionSubject<Action> {
    if let action = front.withLock({ $0.action }) { return action }
    let reference = WeakReceiver(receiver)
    let made = ActionSubject<Action>(sent: Broadcaster(replay: 0)) { action in
      reference.receiver?.receive(action)
    }
    return front.withLock { front in
      let action = front.action ?? made
      front.action = action
      hasActionSubject.store(true, ordering: .releasing)
      return action
    }
  }

  /// Publishes the actions that are sent, or returns `nil` until ``action`` is accessed.
  @inlinable
  var actionsSent: Broadcaster<Action>? {
    guard hasActionSubject.load(ordering: .acquiring) else { return nil }
    return front.withLock { $0.action?.sent }
  }

  /// Publishes an action to the observers of ``action`` without executing it.
  @inlinable
  package func publishSent(_ action: Action) {
    if let sent = actionsSent { publish(action, to: sent) }
  }

  @usableFromInline
  func publish(_ action: Action, to sent: Broadcaster<Action>) {
    if sent.observerCount > 0 { sent.send(.next(action)) }
  }

  /// The stream of states: the latest state first, then one for each mutation.
  package var state: Observable<State> {
    front.withLock { $0.publishing().stream }
  }

  /// Publishes the states.
  ///
  /// A new observer receives the latest state first.
  var states: Broadcaster<State> {
    front.withLock { $0.publishing().broadcaster }
  }

  /// The number of items in the mailbox.
  @usableFromInline
  package var waitingCount: Int {
    mailbox.waitingCount
  }

  /// The number of running effects: streams of `mutate` and `follow` that have not ended.
  @usableFromInline
  package var runningEffectCount: Int {
    running.load(ordering: .relaxed)
  }

  func setRunningEffectCount(_ count: Int) {
    running.store(count, ordering: .relaxed)
  }

  /// The latest state.
  @inlinable
  package var currentState: State? {
    front.withLock { $0.current }
  }

  /// Sets the state that folding begins with, unless there is a current state.
  ///
  /// - Returns: The current state.
  @inlinable
  package func seed(_ state: State) -> State {
    front.withLock { front in
      if front.current == nil { front.current = state }
      return front.current ?? state
    }
  }

  @inlinable
  func setCurrent(_ state: State) {
    // The previous state is released outside of the lock: its `deinit` can read the current state.
    _ = front.withLock { $0.replaceCurrent(with: state) }
  }

  /// Sets the current state to a state that `transform(state:)` has emitted.
  ///
  /// - Returns: The broadcaster to publish the state with, or `nil` if the states were never accessed.
  @inlinable
  func setShown(_ state: State) -> Broadcaster<State>? {
    // The previous state is released outside of the lock, as in `setCurrent`.
    let (_, states) = front.withLock { front in
      front.hasShown = true
      return (front.replaceCurrent(with: state), front.published?.broadcaster)
    }
    return states
  }

  /// Suppresses the initial state, so that the first emitted state is that of the first mutation.
  ///
  /// Called in `transform(mutation:)` of a reactor without an initial state.
  package func deferFirstState() {
    _ = mailbox.ifOwned { $0.defersFirstState = true }
  }

  /// Reduces a mutation that no action has caused, as if `transform(mutation:)` had merged it.
  ///
  /// This needs less memory than a merged stream. The mutation is dropped if the pipeline was shut
  /// down.
  package func emit(_ mutation: Mutation) {
    mutationStageDid(.next(mutation))
  }

  /// Connects the reactor's streams unless they are connected.
  @inlinable
  package func connect() {
    post(.connect)
  }

  /// Connects the reactor's streams on behalf of a host.
  ///
  /// - Parameters:
  ///   - folded: The state that folding begins with; `nil` begins with the initial state.
  ///   - context: The serial context that the reactor's streams subscribe in.
  ///   - quota: Bounds the number of running effects, or returns `nil` for no bound.
  ///   - mayFollow: Whether the reactor can be a ``FollowingReactor``. A host that passes `false`
  ///     saves the lookup of the conformance.
  ///   - isPaused: Whether the reactor only shows its State: no stream of a `transform` is subscribed
  ///     to, except for the first State of `transform(state:)`.
  ///   - report: Called for each event until the pipeline is shut down, in the serial context.
  ///     Returns an error to reject a mutation: the state remains unchanged, and the action fails.
  @inlinable
  package func connect(
    from folded: State?, in context: any SerialContext, quota: EffectQuota? = nil,
    mayFollow: Bool = true, isPaused: Bool = false,
    report: @escaping @Sendable (PipelineReport<Mutation, State>) -> (any Error)?
  ) {
    post(
      .work { [self] in
        _ = mailbox.ifOwned { contents in
          contents.folded = folded
          contents.context = context
          contents.report = report
          contents.quota = quota
          contents.mayFollow = mayFollow
          contents.isPaused = isPaused
        }
      })
    connect()
  }

  /// Retains the reactor until the pipeline is shut down.
  @inlinable
  func retainReactor() {
    post(.work { [self] in mailbox.ifOwned { $0.retainReactor() } })
  }

  /// Sends an action.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - effect: Tracks the effects of the action.
  package func send(_ action: Action, as effect: (any TrackedEffect)? = nil) {
    post(.action(action, effect, .current))
  }

  /// Executes an action immediately.
  ///
  /// Call it in the serial context; elsewhere the action is cancelled.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - effect: Tracks the effects of the action. The caller has called its `begin()`.
  /// - Returns: The error to pass to the tracker's `end(_:)`, or `nil` for success.
  @inlinable
  package func executeInContext(
    _ action: Action, as effect: (any TrackedEffect)?
  ) -> (any Error)? {
    mailbox.ifOwned { $0.executeBegun(action, as: effect) } ?? CancellationError()
  }

  /// The state that the next `reduce` receives, or that `reduce` has returned while a mutation is
  /// reported, or `nil` outside of the serial context.
  package var foldedInContext: State? {
    mailbox.ifOwned { $0.folded } ?? nil
  }

  /// Attributes the mutations that a closure emits synchronously to an origin.
  ///
  /// Outside of the serial context, it only calls the closure.
  @usableFromInline
  package func attribute(_ origin: MutationOrigin, _ body: () -> Void) {
    if mailbox.ifOwned({ $0.attribute(origin, body) }) == nil { body() }
  }

  /// Enqueues work in the mailbox.
  ///
  /// Work is executed even after the pipeline was shut down.
  ///
  /// - Parameters:
  ///   - bound: The work is not enqueued if that many items are pending.
  ///   - work: Executed in the serial context, immediately if the mailbox is idle.
  /// - Returns: Whether the work was enqueued.
  @discardableResult
  @inlinable
  package func enqueue(bound: Int = .max, _ work: @escaping @Sendable () -> Void) -> Bool {
    post(.work(work), bound: bound)
  }

  /// Executes work in the serial context immediately if the mailbox is idle.
  ///
  /// The end of the turn is not reported to the host: the caller knows it.
  ///
  /// - Returns: Whether the work was executed.
  @inlinable
  package func executeIfIdle(_ work: () -> Void) -> Bool {
    mailbox.executeIfIdle(
      { contents in
        CurrentSerialContext.withoutGathering { contents.executeUnreported(in: self, work) }
      }, handle: { handle($1, with: $0) })
  }

  /// Ends every effect and every stage.
  ///
  /// Later items are dropped.
  @usableFromInline
  package func shutDown() {
    post(.shutDown)
  }

  @discardableResult
  @inlinable
  func post(_ item: Item, bound: Int = .max) -> Bool {
    mailbox.post(item, bound: bound) { contents, item in handle(item, with: contents) }
  }

  @inlinable
  func handle(_ item: Item, with contents: Contents) {
    CurrentSerialContext.withoutGathering { contents.handle(item, in: self) }
  }

  @inlinable
  func ifOwned<Result>(_ body: (Contents) -> Result) -> Result? {
    mailbox.ifOwned(body)
  }
}

extension Pipeline: SerialContext {
  @usableFromInline
  package var isCurrent: Bool {
    mailbox.isOwnedByCurrentThread
  }

  @usableFromInline
  package func enqueue(_ work: @escaping @Sendable () -> Void) {
    post(.work { CarriedRequest.bind(nil, work) })
  }
}

extension Pipeline: PipelineControl {}

/// The part of a pipeline that other threads access.
@usableFromInline
struct PipelineFront<Action: Sendable, State: Sendable>: Sendable {
  /// The latest state, or the one that folding begins with.
  @usableFromInline var current: State?

  /// Whether `transform(state:)` has emitted a state.
  ///
  /// If so, a new observer receives the current state.
  @usableFromInline var hasShown = false

  /// The stream of states, created at the first access.
  ///
  /// A host does not access it.
  @usableFromInline var published: PublishedStates<State>?

  /// The input of the reactor, created at the first access.
  @usableFromInline var action: ActionSubject<Action>?

  /// Sets the latest state.
  ///
  /// - Returns: The previous state.
  @inlinable
  mutating func replaceCurrent(with state: State) -> State? {
    defer { current = state }
    return current.take()
  }

  mutating func publishing() -> PublishedStates<State> {
    if let published { return published }
    let made = PublishedStates(hasShown ? current : nil)
    published = made
    return made
  }
}

/// The states of a pipeline as a stream.
@usableFromInline
struct PublishedStates<State: Sendable>: Sendable {
  @usableFromInline let broadcaster: Broadcaster<State>
  let stream: Observable<State>

  init(_ latest: State?) {
    let broadcaster = Broadcaster(replay: 1, seed: latest.map { [$0] } ?? [])
    self.broadcaster = broadcaster
    stream = Observable { broadcaster.subscribe($0) }
  }
}

extension Pipeline: ActionReceiver {
  package func receive(_ action: Action) {
    send(action)
  }
}

/// Receives the actions that are sent to a reactor's ``ActionSubject``, on any thread.
///
/// A receiver other than the pipeline calls ``Pipeline/publishSent(_:)`` for each action.
package protocol ActionReceiver<Action>: AnyObject, Sendable {
  /// A request of a client.
  associatedtype Action: Sendable

  /// Receives an action, on the thread that sends it.
  func receive(_ action: Action)
}

/// A weak reference to a receiver, for the action subject that its pipeline retains.
private final class WeakReceiver<Action: Sendable>: Sendable {
  weak let receiver: (any ActionReceiver<Action>)?

  init(_ receiver: any ActionReceiver<Action>) {
    self.receiver = receiver
  }
}
