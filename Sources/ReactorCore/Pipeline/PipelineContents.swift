public import ReactorStreams

/// What a pipeline's mailbox guards: touched by one thread at a time, so plain variables.
///
/// What every action comes by is inlinable, so that the module which declares the reactor has it
/// specialized for the reactor's types. Elsewhere the types would be looked up at run time, over and
/// over, which was a third of a request.
///
/// What it comes by is read and set, never changed in place, so the check at run time for two who
/// access the same variable could find nothing; it is left out there, where it was 3 % of a request.
@usableFromInline
final class PipelineContents<Action: Sendable, Mutation: Sendable, State: Sendable> {
  @usableFromInline typealias Owner = Pipeline<Action, Mutation, State>

  /// Whether what is emitted synchronously may be folded in at once.
  @usableFromInline
  enum Phase {
    /// Between mutations, where effects are started and their outputs handled.
    case open

    /// Within `reduce`, `transform(state:)` or an observer of the state.
    case folding
  }

  /// The reactor where it is kept: by the pipeline of a host, until that is shut down.
  ///
  /// An object that weak references know of is slower to retain and release from then on, and this
  /// one is called with every action.
  @exclusivity(unchecked) @usableFromInline var keptReactor:
    (any ReactorProtocol<Action, Mutation, State>)?
  private weak var weakReactor: (any ReactorProtocol<Action, Mutation, State>)?

  /// Whose contents these are, while an item is handled.
  @exclusivity(unchecked) @usableFromInline var pipeline: Owner?
  @exclusivity(unchecked) @usableFromInline var report:
    (@Sendable (PipelineReport<Mutation, State>) -> Void)?
  @usableFromInline var context: (any SerialContext)?

  /// The fold of all mutations; `nil` until the streams are connected.
  @exclusivity(unchecked) @usableFromInline var folded: State?

  @exclusivity(unchecked) @usableFromInline var isConnected = false
  @exclusivity(unchecked) @usableFromInline var isShutDown = false
  private var actionsHaveEnded = false
  @exclusivity(unchecked) @usableFromInline var phase = Phase.open
  @exclusivity(unchecked) @usableFromInline var origin = MutationOrigin.external

  // Each is there where the reactor changes the stream.
  @exclusivity(unchecked) @usableFromInline var actionStage: Stage<Action>?
  @exclusivity(unchecked) @usableFromInline var mutationStage: Stage<Mutation>?
  @exclusivity(unchecked) @usableFromInline var stateStage: Stage<State>?

  private lazy var cancellations = CancellationScope()
  private var running: [ObjectIdentifier: EffectSink<Action, Mutation, State>] = [:] {
    didSet { pipeline?.setRunningEffectCount(running.count) }
  }

  init(reactor: any ReactorProtocol<Action, Mutation, State>, isKept: Bool) {
    if isKept { keptReactor = reactor } else { weakReactor = reactor }
  }

  /// The reactor, unless it is gone.
  @inlinable
  var reactor: (any ReactorProtocol<Action, Mutation, State>)? {
    keptReactor ?? reactorIfAlive
  }

  @usableFromInline
  var reactorIfAlive: (any ReactorProtocol<Action, Mutation, State>)? {
    weakReactor
  }

  /// Keeps the reactor alive until the pipeline is shut down.
  @inlinable
  func keepReactor() {
    keptReactor = reactor
  }

  @inlinable
  func handle(_ item: Owner.Item, in pipeline: Owner) {
    if case .perform(let work) = item { return perform(work, in: pipeline) }
    self.pipeline = pipeline
    defer { self.pipeline = nil }
    guard !isShutDown else { return drop(item) }
    connectIfNeeded()
    handleConnected(item)
    report?(.settled)
  }

  /// Runs work of a host.
  ///
  /// A host sets the stage with this before it connects. It is run after the end as well, since
  /// somebody may wait for what it answers.
  @inlinable
  func perform(_ work: () -> Void, in pipeline: Owner) {
    performUnreported(in: pipeline) {
      work()
      report?(.settled)
    }
  }

  /// Runs work of a host that knows where it ends.
  @inlinable
  func performUnreported(in pipeline: Owner, _ work: () -> Void) {
    self.pipeline = pipeline
    defer { self.pipeline = nil }
    work()
  }

  /// Handles what arrives after the end: whoever follows it learns that it was cancelled.
  @usableFromInline
  func drop(_ item: Owner.Item) {
    if case .action(let action, let effect) = item { run(action, as: effect) }
  }

  @usableFromInline
  func handleConnected(_ item: Owner.Item) {
    switch item {
    case .connect, .perform: break
    case .action(let action, let effect): run(action, as: effect)
    case .transformedAction(let action): start(action, as: nil)
    case .effect(let sink, let event):
      sink.wasTaken()
      receive(event, from: sink)
    case .mutation(let mutation, let origin): attribute(origin) { fold(mutation) }
    case .shownState(let state): show(state)
    case .stageFailed(let stage, let error): stageFailed(stage, error)
    case .stageCompleted(let stage): stageCompleted(stage)
    case .shutDown: shutDown()
    }
  }

  // MARK: Connecting

  @inlinable
  func connectIfNeeded() {
    if !isConnected { connect() }
  }

  @inlinable
  func connect() {
    guard let reactor, let pipeline else { return }
    isConnected = true
    let initial = folded ?? pipeline.currentState ?? pipeline.seed(reactor.initialState)
    folded = initial
    // What the transforms see of it while they are asked for their streams.
    pipeline.setCurrent(initial)

    CurrentSerialContext.gatheringEvents(in: context ?? pipeline) {
      actionStage = .assembled(
        reactor.transform(action:),
        later: { [weak reactor] in reactor?.transform(action: $0) ?? $0 },
        output: { [weak pipeline] in pipeline?.actionStageDid($0) })
      mutationStage = .assembled(
        reactor.transform(mutation:),
        later: { [weak reactor] in reactor?.transform(mutation: $0) ?? $0 },
        output: { [weak pipeline] in pipeline?.mutationStageDid($0) })
      stateStage = .assembled(
        reactor.transform(state:),
        later: { [weak reactor] in reactor?.transform(state: $0) ?? $0 },
        output: { [weak pipeline] in pipeline?.stateStageDid($0) })
      // Downstream first, so that the initial state leaves before anything merged in arrives.
      stateStage?.connect()
      folding { emitState(initial) }
      report?(.connected(pipeline.currentState ?? initial))
      mutationStage?.connect()
      actionStage?.connect()
    }
  }

  /// A stream that a reactor made has failed: reports it, and asks for another one.
  ///
  /// It happens within the failing item where that is possible, so that the next element already
  /// finds the new stream.
  func stageFailed(_ stage: ReactorStage, _ error: any Error) {
    guard !isShutDown, let pipeline else { return }
    report(error, in: stage)
    if stage != .transformState, case .effect(let effect?) = origin {
      // The failure has swallowed an action or one of its mutations, and whoever sent it is told.
      effect.begin()
      effect.end(error)
    }
    CurrentSerialContext.gatheringEvents(in: context ?? pipeline) {
      switch stage {
      case .transformAction: actionStage?.recover()
      case .transformMutation: mutationStage?.recover()
      case .transformState: stateStage?.recover()
      case .mutate: break
      }
    }
  }

  /// A stream that a reactor made has come to its end, and so does what follows it: the mutations
  /// end with the actions and the effects that run, the states with the mutations.
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

  private func report(_ error: any Error, in stage: ReactorStage) {
    reactor?.onError(error, in: stage)
    report?(.failed(error, in: stage))
  }

  private func shutDown() {
    isShutDown = true
    let ended = Array(running.values)
    running = [:]
    for sink in ended {
      pipeline?.effectDidEnd(sink.context)
      sink.cancel()
      sink.effect?.end(CancellationError())
    }
    actionStage?.disconnect()
    mutationStage?.disconnect()
    stateStage?.disconnect()
    (actionStage, mutationStage, stateStage) = (nil, nil, nil)
    (keptReactor, report) = (nil, nil)
  }

  // MARK: Actions and effects

  @inlinable
  func run(_ action: Action, as effect: (any TrackedEffect)?) {
    effect?.begin()
    guard !isShutDown else { return effect?.end(CancellationError()) ?? () }
    attribute(.effect(effect)) {
      if let sent = pipeline?.actionsSent { tell(sent, of: action) }
      if let actionStage, !actionStage.passesThrough {
        actionStage.send(action)
      } else {
        start(action, as: effect)
      }
    }
    effect?.end(nil)
  }

  @usableFromInline
  func tell(_ sent: Broadcaster<Action>, of action: Action) {
    if sent.observerCount > 0 { sent.send(.next(action)) }
  }

  /// What `transform(action:)` emitted.
  func actionEmitted(_ action: Action) {
    guard case .effect(let effect) = origin else { return start(action, as: nil) }
    start(action, as: effect)
  }

  @inlinable
  func start(_ action: Action, as effect: (any TrackedEffect)?) {
    guard let reactor else { return }
    let mutations = reactor.mutate(action: action)
    effect?.begin()
    attribute(.effect(effect)) {
      switch mutations.source {
      case .just(let mutation):
        emit(mutation)
        effect?.end(nil)
      case .elements(let list):
        for mutation in list { emit(mutation) }
        effect?.end(nil)
      case .producer:
        follow(mutations, as: effect)
      }
    }
  }

  /// Subscribes to mutations that come over time.
  @usableFromInline
  func follow(_ mutations: Observable<Mutation>, as effect: (any TrackedEffect)?) {
    guard let pipeline else { return }
    let context = EffectContext(pipeline, cancellations: cancellations)
    let sink = EffectSink(effect, context, in: pipeline)
    running[ObjectIdentifier(sink)] = sink
    CurrentSerialContext.$value.withValue(context) {
      sink.hold(mutations.subscribe(sink))
    }
  }

  func receive(_ event: Event<Mutation>, from sink: EffectSink<Action, Mutation, State>) {
    guard running[ObjectIdentifier(sink)] != nil else { return }
    switch event {
    case .next(let mutation):
      attribute(.effect(sink.effect)) { emit(mutation) }
    case .error(let error):
      didEnd(sink)
      RequestContext.$current.withValue(sink.context.request) { report(error, in: .mutate) }
      sink.effect?.end(error)
      endMutationsIfDone()
    case .completed:
      didEnd(sink)
      sink.effect?.end(nil)
      endMutationsIfDone()
    }
  }

  /// What follows the effects that run, in no order.
  var runningSinks: some Collection<EffectSink<Action, Mutation, State>> {
    running.values
  }

  private func didEnd(_ sink: EffectSink<Action, Mutation, State>) {
    running[ObjectIdentifier(sink)] = nil
    pipeline?.effectDidEnd(sink.context)
    // The sink and what it subscribed to hold each other until one lets go.
    sink.cancel()
    if running.isEmpty { cancellations.forget() }
  }

  /// Whether an event of an effect can be handled at once, because the item that runs caused it.
  @inlinable
  var canFoldNow: Bool {
    phase == .open && isConnected && !isShutDown
  }

  // MARK: Folding

  @inlinable
  func attribute(_ origin: MutationOrigin, _ body: () -> Void) {
    let outer = self.origin
    self.origin = origin
    body()
    self.origin = outer
  }

  /// Takes a mutation of an effect through `transform(mutation:)`, where there is one.
  @inlinable
  func emit(_ mutation: Mutation) {
    if let mutationStage, !mutationStage.passesThrough {
      mutationStage.send(mutation)
    } else {
      mutationEmitted(mutation)
    }
  }

  /// What `transform(mutation:)` emitted on the thread that runs.
  @inlinable
  func mutationEmitted(_ mutation: Mutation) {
    if canFoldNow {
      fold(mutation)
    } else {
      pipeline?.post(.mutation(mutation, origin))
    }
  }

  @inlinable
  func fold(_ mutation: Mutation) {
    guard let reactor, let state = folded else { return }
    folding {
      let next = reactor.reduce(state: state, mutation: mutation)
      folded = next
      emitState(next)
      guard let report else { return }
      let shown = stateStage == nil ? next : pipeline?.currentState ?? next
      report(
        .reduced(Transition(mutation: mutation, origin: origin, folded: next, shown: shown)))
    }
  }

  /// Takes a state through `transform(state:)`, where there is one.
  @inlinable
  func emitState(_ state: State) {
    if let stateStage, !stateStage.passesThrough {
      stateStage.send(state)
    } else {
      show(state)
    }
  }

  @inlinable
  func folding(_ body: () -> Void) {
    let outer = phase
    phase = .folding
    body()
    phase = outer
  }

  /// What `transform(state:)` emitted on the thread that runs.
  @inlinable
  func show(_ state: State) {
    if let states = pipeline?.setShown(state) { tell(states, of: state) }
  }

  @usableFromInline
  func tell(_ states: Broadcaster<State>, of state: State) {
    folding { states.send(.next(state)) }
  }
}
