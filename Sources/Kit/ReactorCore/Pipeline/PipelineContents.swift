public import ReactorStreams
internal import Synchronization

/// The state that a pipeline's mailbox guards: one thread at a time accesses it.
///
/// Functions that are called for each action are inlinable, so that the module that declares the
/// reactor specializes them. Without specialization, the lookup of types at run time took a third
/// of the time of a request.
///
/// The variables that these functions access are read and set, never modified in place, so that the
/// exclusivity check at run time cannot fail. The check is disabled for them, since it took 3 % of
/// the time of a request.
@usableFromInline
final class PipelineContents<Action: Sendable, Mutation: Sendable, State: Sendable> {
  @usableFromInline typealias Owner = Pipeline<Action, Mutation, State>

  /// Whether a mutation that is emitted synchronously can be folded immediately.
  @usableFromInline
  enum Phase {
    /// Between mutations, while effects are started and their outputs handled.
    case open

    /// During `reduce`, `transform(state:)` or a call of an observer of the state.
    case folding
  }

  /// The reactor of a host's pipeline, until the pipeline is shut down.
  ///
  /// The reference is strong: an object with weak references is slower to retain and release, and
  /// each action retains and releases the reactor.
  @safe @exclusivity(unchecked) @usableFromInline var retainedReactor:
    (any ReactorProtocol<Action, Mutation, State>)?
  private weak var weakReactor: (any ReactorProtocol<Action, Mutation, State>)?

  /// The pipeline, while an item is handled.
  @safe @exclusivity(unchecked) @usableFromInline var pipeline: Owner?
  @safe @exclusivity(unchecked) @usableFromInline var report:
    (@Sendable (PipelineReport<Mutation, State>) -> (any Error)?)?
  @usableFromInline var context: (any SerialContext)?
  @usableFromInline var quota: EffectQuota?

  /// The state that the next `reduce` receives, or `nil` until the streams are connected.
  @safe @exclusivity(unchecked) @usableFromInline var folded: State?

  @safe @exclusivity(unchecked) @usableFromInline var isConnected = false
  /// Whether the reactor only shows its State, see `Pipeline.connect`.
  @usableFromInline var isPaused = false

  /// Whether the initial state is suppressed, see `Pipeline.deferFirstState()`.
  @usableFromInline var defersFirstState = false
  /// Whether the reactor can be a ``FollowingReactor``.
  @usableFromInline var mayFollow = true
  @safe @exclusivity(unchecked) @usableFromInline var isShutDown = false
  private var actionsHaveEnded = false
  @safe @exclusivity(unchecked) @usableFromInline var phase = Phase.open
  @safe @exclusivity(unchecked) @usableFromInline var origin = MutationOrigin.external

  // `nil` unless the reactor transforms the stream.
  @safe @exclusivity(unchecked) @usableFromInline var actionStage: Stage<Action>?
  @safe @exclusivity(unchecked) @usableFromInline var mutationStage: Stage<Mutation>?
  @safe @exclusivity(unchecked) @usableFromInline var stateStage: Stage<State>?

  /// `nil` unless the reactor is a ``FollowingReactor``.
  @safe @exclusivity(unchecked) @usableFromInline var follower: Follower<Action, Mutation, State>?

  /// The timers of a reactor without a host, or `nil` until the first timer is set.
  var localTimers: LocalTimers?

  private lazy var cancellations = CancellationScope()
  private var running: [ObjectIdentifier: EffectSink<Action, Mutation, State>] = [:] {
    didSet { pipeline?.setRunningEffectCount(running.count) }
  }

  init(reactor: any ReactorProtocol<Action, Mutation, State>, retainsReactor: Bool) {
    if retainsReactor { retainedReactor = reactor } else { weakReactor = reactor }
  }

  /// The reactor, or `nil` after its deinitialization.
  @inlinable
  var reactor: (any ReactorProtocol<Action, Mutation, State>)? {
    retainedReactor ?? reactorIfAlive
  }

  @usableFromInline
  var reactorIfAlive: (any ReactorProtocol<Action, Mutation, State>)? {
    weakReactor
  }

  /// Retains the reactor until the pipeline is shut down.
  @inlinable
  func retainReactor() {
    retainedReactor = reactor
  }

  @inlinable
  func handle(_ item: Owner.Item, in pipeline: Owner) {
    if case .work(let work) = item { return execute(work, in: pipeline) }
    if case .effectWork(let effect, let work) = item {
      _ = report?(.turnBegan(effect))
      return execute(work, in: pipeline)
    }
    self.pipeline = pipeline
    defer { self.pipeline = nil }
    guard !isShutDown else { return drop(item) }
    // Handle `.connect` without the functions that are not specialized, because they look up types
    // at run time: each new session handles this item.
    switch item {
    case .shutDown where !isConnected: return shutDown()  // A fold subscribes to no stream.
    case .shutDown: break  // The end of a turn that shuts down is not reported.
    case .connect: _ = report?(.turnBegan(nil))
    default: _ = report?(.turnBegan(effect(of: item)))
    }
    follower?.beginTurn()
    connectIfNeeded()
    if case .connect = item {
    } else {
      CarriedRequest.bind(request(of: item)) { handleConnected(item) }
    }
    _ = report?(.turnEnded)
  }

  /// Returns the tracker of the effect that has emitted an item.
  @usableFromInline
  func effect(of item: Owner.Item) -> (any TrackedEffect)? {
    switch item {
    case .action(_, let effect, _), .transformedAction(_, let effect, _),
      .effectWork(let effect, _), .mutation(_, .effect(let effect), _):
      effect
    case .effect(let sink, _): sink.effect
    case .connect, .mutation, .work, .shownState, .stageFailed, .stageCompleted, .shutDown:
      nil
    }
  }

  /// Returns the request on whose behalf an item is handled.
  ///
  /// The thread that handles the item can belong to another request.
  @usableFromInline
  func request(of item: Owner.Item) -> RequestContext? {
    switch item {
    case .action(_, _, let request), .transformedAction(_, _, let request),
      .mutation(_, _, let request):
      request?.context
    case .effect(let sink, _): sink.context.request
    case .connect, .work, .effectWork, .shownState, .stageFailed, .stageCompleted, .shutDown: nil
    }
  }

  /// Executes work of a host, even before the streams are connected and after the pipeline was shut
  /// down: a request can be waiting for the result.
  @inlinable
  func execute(_ work: () -> Void, in pipeline: Owner) {
    executeUnreported(in: pipeline) {
      work()
      _ = report?(.turnEnded)
    }
  }

  /// Executes work of a host that detects the end of the turn itself.
  @inlinable
  func executeUnreported(in pipeline: Owner, _ work: () -> Void) {
    self.pipeline = pipeline
    defer { self.pipeline = nil }
    follower?.beginTurn()
    work()
  }

  /// Handles an item after the pipeline was shut down: an action ends with a `CancellationError`.
  @usableFromInline
  func drop(_ item: Owner.Item) {
    switch item {
    case .action(let action, let effect, _): execute(action, as: effect)
    case .transformedAction(_, let effect?, _), .mutation(_, .effect(let effect?), _):
      effect.end(CancellationError())
    default: break
    }
  }

  @usableFromInline
  func handleConnected(_ item: Owner.Item) {
    switch item {
    case .connect, .work, .effectWork: break
    case .action(let action, let effect, _): execute(action, as: effect)
    case .transformedAction(let action, let effect, _):
      pipeline?.didDequeueOutput(of: .transformAction)
      start(action, as: effect)
      effect?.end(nil)
    case .effect(let sink, let event):
      sink.didDequeue()
      receive(event, from: sink)
    case .mutation(let mutation, let origin, _):
      pipeline?.didDequeueOutput(of: .transformMutation)
      attribute(origin) { fold(mutation) }
      if case .effect(let effect?) = origin { effect.end(nil) }
    case .shownState(let state):
      pipeline?.didDequeueOutput(of: .transformState)
      show(state)
    case .stageFailed(let stage, let error): stageFailed(stage, error)
    case .stageCompleted(let stage): stageCompleted(stage)
    case .shutDown: shutDown()
    }
  }

  // MARK: Connecting

  @inlinable
  func connectIfNeeded() {
    if !isConnected { CarriedRequest.bind(nil, connect) }
  }

  @inlinable
  func connect() {
    guard let reactor, let pipeline else { return }
    isConnected = true
    let initial = folded ?? pipeline.currentState ?? pipeline.seed(reactor.initialState)
    folded = initial
    // The transforms can read `currentState` while they create their streams.
    pipeline.setCurrent(initial)
    if mayFollow { follower = Follower(of: reactor, retainsReactor: retainedReactor != nil) }

    CurrentSerialContext.gatheringEvents(in: context ?? pipeline) {
      if !isPaused {
        actionStage = .assembled(
          reactor.transform(action:),
          later: { [weak reactor] in reactor?.transform(action: $0) ?? $0 },
          output: { [weak pipeline] in pipeline?.actionStageDid($0) })
        mutationStage = .assembled(
          reactor.transform(mutation:),
          later: { [weak reactor] in reactor?.transform(mutation: $0) ?? $0 },
          output: { [weak pipeline] in pipeline?.mutationStageDid($0) })
      }
      stateStage = .assembled(
        reactor.transform(state:),
        later: { [weak reactor] in reactor?.transform(state: $0) ?? $0 },
        output: { [weak pipeline] in pipeline?.stateStageDid($0) })
      // Connect the downstream stages first, so that the initial state is emitted before a merged
      // stream emits.
      stateStage?.connect()
      if !defersFirstState { folding { emitState(initial) } }
      _ = report?(.connected(pipeline.currentState ?? initial))
      mutationStage?.connect()
      actionStage?.connect()
    }
    if isPaused { endStateStage() }
  }

  /// Ends the stream of States: the one that it has emitted stays.
  @usableFromInline
  func endStateStage() {
    stateStage?.disconnect()
    stateStage = nil
  }

  /// Reports the error of a stage, and replaces its stream.
  ///
  /// The stream is replaced within the failing item if possible, so that the next element is sent
  /// to the new stream.
  func stageFailed(_ stage: ReactorStage, _ error: any Error) {
    guard !isShutDown, let pipeline else { return }
    report(error, in: stage)
    if stage != .transformState, case .effect(let effect?) = origin {
      // The error has dropped the action or one of its mutations. The request of the action fails.
      effect.begin()
      effect.end(error)
    }
    let context = context ?? pipeline
    switch stage {
    case .transformAction: actionStage?.recover(in: context)
    case .transformMutation: mutationStage?.recover(in: context)
    case .transformState: stateStage?.recover(in: context)
    case .mutate: break
    }
  }

  /// Completes the stage that follows a completed stage.
  ///
  /// The mutations complete when the actions and the running effects have completed, the states
  /// when the mutations have completed.
  private func stageCompleted(_ stage: ReactorStage) {
    switch stage {
    case .transformAction:
      actionsHaveEnded = true
      endMutationsIfDone()
    case .transformMutation:
      if let stateStage { stateStage.complete() } else { pipeline?.stateStageDid(.completed) }
    case .transformState: pipeline?.states.send(.completed)
    case .mutate: break
    }
  }

  private func endMutationsIfDone() {
    guard actionsHaveEnded, running.isEmpty else { return }
    if let mutationStage {
      mutationStage.complete()
    } else {
      pipeline?.mutationStageDid(.completed)
    }
  }

  func report(
    _ error: any Error, in stage: ReactorStage, of effect: (any TrackedEffect)? = nil
  ) {
    reactor?.onError(error, in: stage)
    _ = report?(.failed(error, in: stage, of: effect))
  }

  @usableFromInline
  func shutDown() {
    isShutDown = true
    let ended = Array(running.values)
    running = [:]
    for sink in ended {
      pipeline?.effectDidEnd(sink.context)
      quota?.release(of: sink.context.request?.account)
      sink.cancel()
      sink.effect?.end(CancellationError())
    }
    actionStage?.disconnect()
    mutationStage?.disconnect()
    stateStage?.disconnect()
    (actionStage, mutationStage, stateStage) = (nil, nil, nil)
    (retainedReactor, report, follower, localTimers) = (nil, nil, nil, nil)
  }

  // MARK: Actions and effects

  @inlinable
  func execute(_ action: Action, as effect: (any TrackedEffect)?) {
    effect?.begin()
    let error = executeBegun(action, as: effect)
    effect?.end(error)
  }

  /// Executes an action whose tracker has begun.
  ///
  /// - Returns: The error to pass to the tracker's `end(_:)`, or `nil` for success.
  @inlinable
  func executeBegun(_ action: Action, as effect: (any TrackedEffect)?) -> (any Error)? {
    guard !isShutDown else { return CancellationError() }
    attribute(.effect(effect)) {
      if let sent = pipeline?.actionsSent { publish(action, to: sent) }
      if let actionStage, !actionStage.passesThrough {
        actionStage.send(action, in: context ?? pipeline)
      } else {
        startAttributed(action, as: effect)
      }
    }
    return nil
  }

  @usableFromInline
  func publish(_ action: Action, to sent: Broadcaster<Action>) {
    if sent.observerCount > 0 { sent.send(.next(action)) }
  }

  /// `transform(action:)` has emitted an action in the serial context.
  ///
  /// - Returns: Whether the action was handled or enqueued.
  func actionEmitted(_ action: Action) -> Bool {
    guard !origin.isApplied else { return true }
    let effect: (any TrackedEffect)? = if case .effect(let effect) = origin { effect } else { nil }
    guard let pipeline else { return false }
    if pipeline.waitingActions.load(ordering: .acquiring) == 0 {
      // The mutations of an action that a global causes within this turn have the global's mark.
      if case .global = origin {
        startAttributed(action, as: nil)
      } else {
        start(action, as: effect)
      }
    } else {
      pipeline.post(action, as: effect, for: .current)
    }
    return true
  }

  @inlinable
  func start(_ action: Action, as effect: (any TrackedEffect)?) {
    attribute(.effect(effect)) { startAttributed(action, as: effect) }
  }

  /// Starts an action.
  ///
  /// The caller has attributed the mutations to its effect.
  @inlinable
  func startAttributed(_ action: Action, as effect: (any TrackedEffect)?) {
    guard let reactor else { return }
    let mutations = reactor.mutate(action: action)
    effect?.begin()
    switch mutations.source {
    case .just(let mutation):
      emit(mutation)
      effect?.end(nil)
    case .elements(let list):
      for mutation in list { emit(mutation) }
      effect?.end(nil)
    case .forwarding, .producer:
      subscribe(to: mutations, as: effect)
    }
  }

  /// Subscribes to a stream of mutations as a running effect.
  ///
  /// - Parameters:
  ///   - mutations: The stream.
  ///   - effect: Tracks the effects of its action.
  ///   - isFollowing: Whether the stream follows from a mutation instead of an action.
  @usableFromInline
  func subscribe(
    to mutations: Observable<Mutation>, as effect: (any TrackedEffect)?, isFollowing: Bool = false
  ) {
    guard let pipeline else { return }
    if let error = quota?.acquire(running: running.count, for: RequestContext.current?.account) {
      report(error, in: .mutate, of: effect)
      effect?.end(error)
      return
    }
    let context = EffectContext(pipeline, cancellations: cancellations, tracked: effect)
    let sink = EffectSink(effect, context, isFollowing: isFollowing, in: pipeline)
    running[ObjectIdentifier(sink)] = sink
    CurrentSerialContext.$value.withValue(context) {
      Trampoline.isolated { sink.retain(mutations.attach(sink)) }
    }
  }

  func receive(_ event: Event<Mutation>, from sink: EffectSink<Action, Mutation, State>) {
    guard running[ObjectIdentifier(sink)] != nil else { return }
    switch event {
    case .next(let mutation) where !sink.isFollowing:
      attribute(.effect(sink.effect)) { emit(mutation) }
    case .next(let mutation):
      guard follower?.admit() != false else {
        return receive(.error(FollowLimitError()), from: sink)
      }
      attribute(.effect(sink.effect)) { mutationEmitted(mutation) }
    case .error(let error):
      didEnd(sink)
      RequestContext.$current.withValue(sink.context.request) {
        report(error, in: .mutate, of: sink.effect)
      }
      sink.effect?.end(error)
      endMutationsIfDone()
    case .completed:
      didEnd(sink)
      sink.effect?.end(nil)
      endMutationsIfDone()
    }
  }

  /// The observers of the running effects, in no particular order.
  var runningSinks: some Collection<EffectSink<Action, Mutation, State>> {
    running.values
  }

  private func didEnd(_ sink: EffectSink<Action, Mutation, State>) {
    running[ObjectIdentifier(sink)] = nil
    pipeline?.effectDidEnd(sink.context)
    quota?.release(of: sink.context.request?.account)
    // Breaks the retain cycle of the sink and its subscription.
    sink.cancel()
    if running.isEmpty { cancellations.forget() }
  }

  /// Whether an event that the current item causes can be handled immediately.
  @inlinable
  var canFoldNow: Bool {
    phase == .open && isConnected && !isShutDown
  }
}
