package import ReactorStreams
internal import Synchronization

/// Runs one reactor: the mailbox, the three stages and the effects.
///
/// Actions, outputs of effects and what `transform(mutation:)` merges in enter one mailbox and are
/// handled one at a time, on the thread that brings them while nothing else runs. What a running
/// item emits synchronously is folded in at once, so that the next step of a `concat` sees the
/// state that the step before made; what is sent from within `reduce` or from an observer of the
/// state waits until the item is done.
package final class Pipeline<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
  enum Item: Sendable {
    case connect
    case action(Action, (any TrackedEffect)?)
    case transformedAction(Action)
    case effect(EffectSink<Action, Mutation, State>, Event<Mutation>)
    case mutation(Mutation, MutationOrigin)
    case shownState(State)
    case stageFailed(ReactorStage, any Error)
    case stageCompleted(ReactorStage)
    case perform(@Sendable () -> Void)
    case shutDown
  }

  typealias Contents = PipelineContents<Action, Mutation, State>

  /// Where actions are sent.
  package let action: ActionSubject<Action>

  /// The states, the latest first.
  package let state: Observable<State>

  /// Real time, unless the reactor is first used where virtual time passes.
  package let timer = CurrentSerialContext.value?.timer ?? TaskScheduler.instance

  let states = Broadcaster<State>(replay: 1)
  private let mailbox: Mailbox<Item, Contents>
  private let current = Mutex<State?>(nil)
  private let running = Atomic<Int>(0)
  let progress = Mutex<[ObjectIdentifier: Double]>([:])
  let progressIsNews = Atomic<Bool>(false)

  /// Makes a pipeline that does not keep its reactor alive.
  init(of reactor: any ReactorProtocol<Action, Mutation, State>) {
    // Proof: the pipeline calls the reactor from within its mailbox only, one call at a time. The
    // type of a reactor is not Sendable, so whoever made it cannot take it to another thread.
    nonisolated(unsafe) let contents = Contents(reactor: reactor)
    mailbox = Mailbox(contents)
    let sent = Broadcaster<Action>(replay: 0)
    let entrance = WeakEntrance<Action, Mutation, State>()
    action = ActionSubject(sent: sent) { action in
      entrance.pipeline?.send(action)
    }
    let states = states
    state = Observable { states.subscribe($0) }
    contents.actionsSent = sent
    contents.pipeline = self
    entrance.set(self)
  }

  /// How many items wait in the mailbox.
  package var waitingCount: Int {
    mailbox.waitingCount
  }

  /// How many streams of `mutate` run.
  package var runningEffectCount: Int {
    running.load(ordering: .relaxed)
  }

  func setRunningEffectCount(_ count: Int) {
    running.store(count, ordering: .relaxed)
  }

  /// The state that was emitted last.
  package var currentState: State? {
    current.withLock { $0 }
  }

  /// Makes a state the current one unless there is one, and the one that folding begins with.
  ///
  /// - Returns: The current state.
  package func seed(_ state: State) -> State {
    current.withLock { current in
      if current == nil { current = state }
      return current ?? state
    }
  }

  func setCurrent(_ state: State) {
    current.withLock { $0 = state }
  }

  /// Connects the reactor's streams unless they are.
  package func connect() {
    post(.connect)
  }

  /// Connects the reactor's streams on behalf of a host.
  ///
  /// - Parameters:
  ///   - folded: The fold of the mutations so far; `nil` begins with the initial state.
  ///   - context: Where values that sessions share are delivered for this reactor.
  ///   - delegate: Told of all that happens, from the first mutation on. Not kept alive.
  package func connect(
    from folded: State?, in context: any SerialContext,
    delegate: any PipelineDelegate<Mutation, State>
  ) {
    post(
      .perform { [self] in
        _ = mailbox.ifOwned { contents in
          contents.folded = folded
          contents.context = context
          contents.delegate = delegate
        }
      })
    connect()
  }

  /// Sends an action.
  ///
  /// - Parameters:
  ///   - action: What to do.
  ///   - effect: Follows what the action starts.
  package func send(_ action: Action, as effect: (any TrackedEffect)? = nil) {
    post(.action(action, effect))
  }

  /// Runs an action now, from within the serial context.
  ///
  /// - Returns: Whether the calling thread is in the serial context.
  package func runInContext(_ action: Action, as effect: (any TrackedEffect)?) -> Bool {
    mailbox.ifOwned { $0.run(action, as: effect) } != nil
  }

  /// The fold of all mutations, from within the serial context; `nil` elsewhere.
  package var foldedInContext: State? {
    mailbox.ifOwned { $0.folded } ?? nil
  }

  /// Attributes what a body emits synchronously to an origin, from within the serial context.
  package func attribute(_ origin: MutationOrigin, _ body: () -> Void) {
    if mailbox.ifOwned({ $0.attribute(origin, body) }) == nil { body() }
  }

  /// Runs work in the serial context, also after the pipeline was shut down.
  ///
  /// - Parameters:
  ///   - bound: The work is refused when so many items wait already.
  ///   - work: What to run.
  /// - Returns: Whether the work was taken.
  @discardableResult
  package func perform(bound: Int = .max, _ work: @escaping @Sendable () -> Void) -> Bool {
    post(.perform(work), bound: bound)
  }

  /// Ends every effect and every stage.
  ///
  /// What arrives later is dropped.
  package func shutDown() {
    post(.shutDown)
  }

  @discardableResult
  func post(_ item: Item, bound: Int = .max) -> Bool {
    mailbox.post(item, bound: bound) { contents, item in contents.handle(item) }
  }

  func ifOwned<Result>(_ body: (Contents) -> Result) -> Result? {
    mailbox.ifOwned(body)
  }
}

extension Pipeline: SerialContext {
  package var isCurrent: Bool {
    mailbox.isOwnedByCurrentThread
  }

  package func perform(_ work: @escaping @Sendable () -> Void) {
    post(.perform(work))
  }
}

extension Pipeline: PipelineLifetime {}

/// Lets the action subject, which the pipeline holds, reach the pipeline.
private final class WeakEntrance<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
  private struct Reference {
    weak var pipeline: Pipeline<Action, Mutation, State>?
  }

  private let reference = Mutex(Reference())

  var pipeline: Pipeline<Action, Mutation, State>? {
    reference.withLock { $0.pipeline }
  }

  func set(_ pipeline: Pipeline<Action, Mutation, State>) {
    reference.withLock { $0.pipeline = pipeline }
  }
}
