internal import ReactorStreams

/// What a pipeline's mailbox guards: touched by one thread at a time, so plain variables.
final class PipelineContents<Action: Sendable, Mutation: Sendable, State: Sendable> {
  typealias Owner = Pipeline<Action, Mutation, State>

  /// Whether what is emitted synchronously may be folded in at once.
  private enum Phase {
    /// Between mutations, where effects are started and their outputs handled.
    case open

    /// Within `reduce`, `transform(state:)` or an observer of the state.
    case folding
  }

  private weak var reactor: (any ReactorProtocol<Action, Mutation, State>)?
  weak var pipeline: Owner?
  weak var delegate: (any PipelineDelegate<Mutation, State>)?
  var context: (any SerialContext)?
  var actionsSent: Broadcaster<Action>?

  /// The fold of all mutations; `nil` until the streams are connected.
  var folded: State?

  private var isConnected = false
  private var isShutDown = false
  private var actionsHaveEnded = false
  private var phase = Phase.open
  private var origin = MutationOrigin.external
  private var actionStage: Stage<Action>?
  private var mutationStage: Stage<Mutation>?
  private var stateStage: Stage<State>?

  private let cancellations = CancellationScope()
  private var running: [ObjectIdentifier: EffectSink<Action, Mutation, State>] = [:] {
    didSet { pipeline?.setRunningEffectCount(running.count) }
  }

  init(reactor: any ReactorProtocol<Action, Mutation, State>) {
    self.reactor = reactor
  }

  func handle(_ item: Owner.Item) {
    if case .perform(let work) = item {
      // A host sets the stage with this before it connects. It is run after the end as well, since
      // somebody may wait for what it answers.
      work()
    } else if isShutDown {
      return drop(item)
    } else {
      connectIfNeeded()
      handleConnected(item)
    }
    delegate?.pipelineDidSettle()
  }

  /// Handles what arrives after the end: whoever follows it learns that it was cancelled.
  private func drop(_ item: Owner.Item) {
    if case .action(let action, let effect) = item { run(action, as: effect) }
  }

  private func handleConnected(_ item: Owner.Item) {
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

  private func connectIfNeeded() {
    guard !isConnected, let reactor, let pipeline else { return }
    isConnected = true
    let initial = folded ?? pipeline.currentState ?? pipeline.seed(reactor.initialState)
    folded = initial
    // What the transforms see of it while they are asked for their streams.
    pipeline.setCurrent(initial)

    let actions = Stage<Action>(
      transform: { [weak reactor] in reactor?.transform(action: $0) ?? $0 },
      output: { [weak pipeline] in pipeline?.actionStageDid($0) })
    let mutations = Stage<Mutation>(
      transform: { [weak reactor] in reactor?.transform(mutation: $0) ?? $0 },
      output: { [weak pipeline] in pipeline?.mutationStageDid($0) })
    let states = Stage<State>(
      transform: { [weak reactor] in reactor?.transform(state: $0) ?? $0 },
      output: { [weak pipeline] in pipeline?.stateStageDid($0) })
    (actionStage, mutationStage, stateStage) = (actions, mutations, states)

    CurrentSerialContext.$value.withValue(context ?? pipeline) {
      actions.assemble()
      mutations.assemble()
      states.assemble()
      // Downstream first, so that the initial state leaves before anything merged in arrives.
      states.connect()
      folding { states.send(initial) }
      delegate?.pipelineDidConnect(pipeline.currentState ?? initial)
      mutations.connect()
      actions.connect()
    }
  }

  /// A stream that a reactor made has failed: reports it, and asks for another one.
  ///
  /// It happens within the failing item where that is possible, so that the next element already
  /// finds the new stream.
  func stageFailed(_ stage: ReactorStage, _ error: any Error) {
    guard !isShutDown else { return }
    report(error, in: stage)
    if stage != .transformState, case .effect(let effect?) = origin {
      // The failure has swallowed an action or one of its mutations, and whoever sent it is told.
      effect.begin()
      effect.end(error)
    }
    CurrentSerialContext.$value.withValue(context ?? pipeline) {
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
    case .transformMutation: stateStage?.complete()
    case .transformState: pipeline?.states.send(.completed)
    case .mutate: break
    }
  }

  private func endMutationsIfDone() {
    if actionsHaveEnded, running.isEmpty { mutationStage?.complete() }
  }

  private func report(_ error: any Error, in stage: ReactorStage) {
    reactor?.onError(error, in: stage)
    delegate?.pipelineDidFail(error, in: stage)
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
  }

  // MARK: Actions and effects

  func run(_ action: Action, as effect: (any TrackedEffect)?) {
    effect?.begin()
    guard !isShutDown else { return effect?.end(CancellationError()) ?? () }
    attribute(.effect(effect)) {
      if let actionsSent, actionsSent.observerCount > 0 { actionsSent.send(.next(action)) }
      if let actionStage, !actionStage.passesThrough {
        actionStage.send(action)
      } else {
        start(action, as: effect)
      }
    }
    effect?.end(nil)
  }

  /// What `transform(action:)` emitted.
  func actionEmitted(_ action: Action) {
    guard case .effect(let effect) = origin else { return start(action, as: nil) }
    start(action, as: effect)
  }

  private func start(_ action: Action, as effect: (any TrackedEffect)?) {
    guard let reactor, let pipeline else { return }
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
        let context = EffectContext(pipeline, cancellations: cancellations)
        let sink = EffectSink(effect, context, in: pipeline)
        running[ObjectIdentifier(sink)] = sink
        CurrentSerialContext.$value.withValue(context) {
          sink.hold(mutations.subscribe(sink))
        }
      }
    }
  }

  func receive(_ event: Event<Mutation>, from sink: EffectSink<Action, Mutation, State>) {
    guard running[ObjectIdentifier(sink)] != nil else { return }
    switch event {
    case .next(let mutation):
      attribute(.effect(sink.effect)) { emit(mutation) }
    case .error(let error):
      didEnd(sink)
      report(error, in: .mutate)
      sink.effect?.end(error)
      endMutationsIfDone()
    case .completed:
      didEnd(sink)
      sink.effect?.end(nil)
      endMutationsIfDone()
    }
  }

  private func didEnd(_ sink: EffectSink<Action, Mutation, State>) {
    running[ObjectIdentifier(sink)] = nil
    pipeline?.effectDidEnd(sink.context)
    // The sink and what it subscribed to hold each other until one lets go.
    sink.cancel()
    if running.isEmpty { cancellations.forget() }
  }

  /// Whether an event of an effect can be handled at once, because the item that runs caused it.
  var canFoldNow: Bool {
    phase == .open && isConnected && !isShutDown
  }

  // MARK: Folding

  func attribute(_ origin: MutationOrigin, _ body: () -> Void) {
    let outer = self.origin
    self.origin = origin
    body()
    self.origin = outer
  }

  /// Takes a mutation of an effect through `transform(mutation:)`, where there is one.
  private func emit(_ mutation: Mutation) {
    if let mutationStage, !mutationStage.passesThrough {
      mutationStage.send(mutation)
    } else {
      mutationEmitted(mutation)
    }
  }

  /// What `transform(mutation:)` emitted on the thread that runs.
  func mutationEmitted(_ mutation: Mutation) {
    if canFoldNow {
      fold(mutation)
    } else {
      pipeline?.post(.mutation(mutation, origin))
    }
  }

  private func fold(_ mutation: Mutation) {
    guard let reactor, let state = folded, let pipeline else { return }
    folding {
      let next = reactor.reduce(state: state, mutation: mutation)
      folded = next
      if let stateStage, !stateStage.passesThrough {
        stateStage.send(next)
      } else {
        show(next)
      }
      guard let delegate else { return }
      delegate.pipelineDidReduce(
        Transition(
          mutation: mutation, origin: origin, folded: next, shown: pipeline.currentState ?? next))
    }
  }

  private func folding(_ body: () -> Void) {
    let outer = phase
    phase = .folding
    body()
    phase = outer
  }

  /// What `transform(state:)` emitted on the thread that runs.
  func show(_ state: State) {
    guard let pipeline else { return }
    pipeline.setCurrent(state)
    folding { pipeline.states.send(.next(state)) }
  }
}
