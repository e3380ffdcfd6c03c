public import ReactorStreams
public import Synchronization

/// Runs one reactor: the mailbox, the three stages and the effects.
///
/// Actions, outputs of effects and what `transform(mutation:)` merges in enter one mailbox and are
/// handled one at a time, on the thread that brings them while nothing else runs. What a running
/// item emits synchronously is folded in at once, so that the next step of a `concat` sees the
/// state that the step before made; what is sent from within `reduce` or from an observer of the
/// state waits until the item is done.
@usableFromInline
package final class Pipeline<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
  @usableFromInline
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

  @usableFromInline typealias Contents = PipelineContents<Action, Mutation, State>

  /// Real time, unless the reactor is first used where virtual time passes.
  @usableFromInline
  package let timer = CurrentSerialContext.value?.timer ?? TaskScheduler.instance

  @usableFromInline let mailbox: Mailbox<Item, Contents>
  @usableFromInline let front = Mutex(PipelineFront<Action, State>())
  /// Whether anyone has asked for the actions, which no host does.
  @usableFromInline let hasActionSubject = Atomic<Bool>(false)
  private let running = Atomic<Int>(0)
  let progress = Mutex<[ObjectIdentifier: Double]>([:])
  let progressIsNews = Atomic<Bool>(false)

  /// Makes a pipeline.
  ///
  /// - Parameters:
  ///   - reactor: What it runs.
  ///   - isKept: Whether it keeps the reactor alive, until it is shut down.
  @usableFromInline
  package init(of reactor: any ReactorProtocol<Action, Mutation, State>, isKept: Bool) {
    // Proof: the pipeline calls the reactor from within its mailbox only, one call at a time. The
    // type of a reactor is not Sendable, so whoever made it cannot take it to another thread.
    nonisolated(unsafe) let contents = Contents(reactor: reactor, isKept: isKept)
    mailbox = Mailbox(contents)
  }

  /// Where actions are sent.
  package var action: ActionSubject<Action> {
    if let action = front.withLock({ $0.action }) { return action }
    let entrance = WeakEntrance(self)
    let made = ActionSubject<Action>(sent: Broadcaster(replay: 0)) { action in
      entrance.pipeline?.send(action)
    }
    return front.withLock { front in
      let action = front.action ?? made
      front.action = action
      hasActionSubject.store(true, ordering: .releasing)
      return action
    }
  }

  /// The actions that are sent, where anyone has asked for them.
  @inlinable
  var actionsSent: Broadcaster<Action>? {
    guard hasActionSubject.load(ordering: .acquiring) else { return nil }
    return front.withLock { $0.action?.sent }
  }

  /// The states, the latest first.
  package var state: Observable<State> {
    front.withLock { $0.publishing().stream }
  }

  /// Tells of states, the latest first.
  var states: Broadcaster<State> {
    front.withLock { $0.publishing().broadcaster }
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
  @inlinable
  package var currentState: State? {
    front.withLock { $0.current }
  }

  /// Makes a state the current one unless there is one, and the one that folding begins with.
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
    front.withLock { $0.current = state }
  }

  /// Makes a state that has left `transform(state:)` the current one.
  ///
  /// - Returns: Who is to be told of it.
  @inlinable
  func setShown(_ state: State) -> Broadcaster<State>? {
    front.withLock { front in
      front.current = state
      front.hasShown = true
      return front.published?.broadcaster
    }
  }

  /// Connects the reactor's streams unless they are.
  @inlinable
  package func connect() {
    post(.connect)
  }

  /// Connects the reactor's streams on behalf of a host.
  ///
  /// - Parameters:
  ///   - folded: The fold of the mutations so far; `nil` begins with the initial state.
  ///   - context: Where values that sessions share are delivered for this reactor.
  ///   - report: Told of all that happens, from the first mutation on, until the pipeline is shut
  ///     down.
  @inlinable
  package func connect(
    from folded: State?, in context: any SerialContext,
    report: @escaping @Sendable (PipelineReport<Mutation, State>) -> Void
  ) {
    post(
      .perform { [self] in
        _ = mailbox.ifOwned { contents in
          contents.folded = folded
          contents.context = context
          contents.report = report
        }
      })
    connect()
  }

  /// Keeps the reactor alive until the pipeline is shut down, however it was made.
  @inlinable
  func keepReactor() {
    post(.perform { [self] in mailbox.ifOwned { $0.keepReactor() } })
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
  @inlinable
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
  @inlinable
  package func perform(bound: Int = .max, _ work: @escaping @Sendable () -> Void) -> Bool {
    post(.perform(work), bound: bound)
  }

  /// Runs work in the serial context if nothing runs there now.
  ///
  /// That it is done is not reported: whoever gave it knows.
  ///
  /// - Returns: Whether it was run.
  @inlinable
  package func performIfFree(_ work: () -> Void) -> Bool {
    mailbox.runIfFree({ $0.performUnreported(in: self, work) }, handle: { $0.handle($1, in: self) })
  }

  /// Ends every effect and every stage.
  ///
  /// What arrives later is dropped.
  @usableFromInline
  package func shutDown() {
    post(.shutDown)
  }

  @discardableResult
  @inlinable
  func post(_ item: Item, bound: Int = .max) -> Bool {
    mailbox.post(item, bound: bound) { contents, item in contents.handle(item, in: self) }
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
  package func perform(_ work: @escaping @Sendable () -> Void) {
    post(.perform(work))
  }
}

extension Pipeline: PipelineLifetime {}

/// What threads outside of the serial context reach of a pipeline.
@usableFromInline
struct PipelineFront<Action: Sendable, State: Sendable>: Sendable {
  /// The state that was emitted last, or that folding begins with.
  @usableFromInline var current: State?

  /// Whether the current state has left `transform(state:)`, so that observers are told of it.
  @usableFromInline var hasShown = false

  /// Made when somebody asks for the states, which a host does not.
  @usableFromInline var published: PublishedStates<State>?

  /// Made when somebody asks for it.
  @usableFromInline var action: ActionSubject<Action>?

  mutating func publishing() -> PublishedStates<State> {
    if let published { return published }
    let made = PublishedStates(hasShown ? current : nil)
    published = made
    return made
  }
}

/// The states of a pipeline for those who observe them.
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

/// Lets the action subject, which the pipeline holds, reach the pipeline.
private final class WeakEntrance<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
  weak let pipeline: Pipeline<Action, Mutation, State>?

  init(_ pipeline: Pipeline<Action, Mutation, State>) {
    self.pipeline = pipeline
  }
}
