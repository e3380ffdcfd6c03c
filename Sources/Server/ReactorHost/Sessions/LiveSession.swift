public import ReactorCore
internal import ReactorLog
internal import Shares
internal import Synchronization

/// A session in memory: its reactor, its log, its requests and its observers.
///
/// The reactor's pipeline executes one turn at a time: actions, outputs of effects and values of
/// globals. ``CommitMachine`` decides when the turn's mutations go to the log and which observers
/// and requests are notified of the commit; this object executes that. User code, the log, observers
/// and completions are called without a lock.
///
/// Each further part of its state has an owner: ``SessionMarks``, ``StateMeter``, ``GlobalRevisions``,
/// ``TimerTable``, ``SessionSends``, ``SubscriberTable``, ``ActivityObservers`` and ``SignalObservers``.
@usableFromInline
final class LiveSession: BatchSource {
  @usableFromInline let key: SessionKey
  @usableFromInline let epoch: String
  @usableFromInline let parameters: [UInt8]?
  let pipeline: any PipelineControl
  let log: any SessionLog
  let environment: ReactorEnvironment
  @usableFromInline let formerVersion: Int
  let commits: Mutex<CommitMachine<ActionReply>>
  let globals: GlobalRevisions
  let timerTable: Mutex<TimerTable>
  let subscriberTable = Mutex(SubscriberTable())
  let signalObservers = SignalObservers()
  let sends = SessionSends()
  let observation = SessionObservation()
  @usableFromInline let marks = SessionMarks()
  let activityObservers = ActivityObservers()
  // Adjacent and last, so that their trailing bytes share a word.
  @usableFromInline let meter = StateMeter()
  /// The client of the latest mutation that an action has caused, see ``owner``.
  let lastClient = Atomic<Int>(0)
  /// The account that has the session in memory, or `nil` for none.
  let account: Account?
  /// The bytes of the session that are counted for the account.
  private let stateBytes = Atomic<Int>(0)
  private let interrupted = Atomic<Bool>(false)
  private let ended = Atomic<Bool>(false)

  /// Creates a session at the end of its log and connects its reactor.
  ///
  /// - Parameters:
  ///   - key: The session's key.
  ///   - stored: The record of the log, or the one of a new session.
  ///   - isStored: Whether the log has the record.
  ///   - snapshot: The version of the latest snapshot; 0 for none.
  ///   - timers: The session's timers.
  ///   - instance: The reactor, at the record's version.
  ///   - log: The session's log.
  ///   - environment: The parts that the reactor's sessions share.
  ///   - account: The account that has the session in memory, or `nil` for none.
  init(
    _ key: SessionKey, stored: StoredSession, isStored: Bool, snapshot: Int,
    timers: [StoredTimer], instance: NewInstance, log: any SessionLog,
    environment: ReactorEnvironment, of account: Account? = nil
  ) {
    self.key = key
    self.account = account
    self.log = log
    self.environment = environment
    epoch = stored.epoch
    formerVersion = stored.formerVersion
    parameters = stored.parameters ?? environment.witness.parameters?.defaults
    pipeline = instance.pipeline
    globals = GlobalRevisions(stored.globals)
    timerTable = Mutex(TimerTable(timers))
    let cursor = Cursor(epoch: stored.epoch, version: stored.version)
    commits = Mutex(
      CommitMachine(
        at: CommittedState(cursor: cursor, json: []), lastActiveAt: stored.lastActiveAt,
        isStored: isStored, lastSnapshot: snapshot))
    environment.counts.sessions.add(1, ordering: .relaxed)
    instance.connect(self)
  }

  deinit {
    countState(0)
    if !hasEnded { didLeaveMemory() }
    marks.endTurn(in: marking)
    pipeline.shutDown()
  }

  /// The bytes of a session in memory beside its State and its parameters: 1,878 are measured in README.md.
  private static let overhead = 2_048

  /// Counts the size of the session for the client, if it has changed by a kibibyte or more.
  ///
  /// The State counts twice: as a value, and as JSON.
  ///
  /// - Parameter state: The size of the State as JSON; 0 at the end of the session.
  func countState(_ state: Int) {
    let size =
      state == 0 ? 0 : 2 * state + meter.retainedBytes + (parameters?.count ?? 0) + Self.overhead
    let counted = stateBytes.load(ordering: .relaxed)
    guard size == 0 || abs(size - counted) >= 1_024 else { return }
    let difference = size - stateBytes.exchange(size, ordering: .relaxed)
    guard difference != 0 else { return }
    environment.settings.ledger.take(.states, difference, for: account)
  }

  /// Updates the counter of sessions, once: when the session ends, or when its last reference is
  /// released.
  private func didLeaveMemory() {
    environment.counts.sessions.subtract(1, ordering: .relaxed)
  }

  /// The quota of running effects of the reactor's sessions, within the quota of the host.
  @usableFromInline var effectQuota: EffectQuota {
    environment.effectQuota
  }

  /// The maximum size of a state, in bytes.
  @usableFromInline var stateLimit: Int {
    environment.settings.stateLimit
  }

  @usableFromInline var marking: (any ActionMarking)? {
    environment.settings.marking
  }

  /// Whether the log has the session.
  @usableFromInline var isStored: Bool {
    commits.withLock { $0.isStored }
  }

  /// Whether the log rejected the session, which is loaded again with its next use.
  var isInterrupted: Bool {
    interrupted.load(ordering: .acquiring)
  }

  /// Whether the session has ended, so that nothing is executed or committed.
  var hasEnded: Bool {
    ended.load(ordering: .acquiring)
  }

  /// The error that ended the session, or `nil` if it is open, or was deleted or evicted.
  var fault: LogError? {
    commits.withLock { $0.fault }
  }

  /// The first values of its observations; created with the first one.
  var joins: SessionJoins {
    observation.joins(waiting: environment.router == nil && current.version > 0)
  }

  /// Waits until the reactor has the first values of all that it observes.
  func join() async {
    guard let joins = observation.existingJoins else { return }
    await withCheckedContinuation { continuation in joins.start { continuation.resume() } }
  }

  // MARK: Turns

  /// Enqueues work in the session's mailbox.
  ///
  /// - Parameters:
  ///   - bound: The work is not enqueued if that many items are pending.
  ///   - work: Executed in a turn of the session, on this thread if the session is idle.
  /// - Returns: Whether the work was enqueued.
  @discardableResult
  func enqueue(bound: Int = .max, _ work: @escaping @Sendable () -> Void) -> Bool {
    environment.witness.hotPath.enqueue(pipeline, bound, work)
  }

  /// Enqueues a request of a client, see ``enqueue(bound:_:)``.
  ///
  /// - Returns: Whether the request was enqueued; `false` if the mailbox is full.
  func enqueueRequest(_ work: @escaping @Sendable () -> Void) -> Bool {
    enqueue(bound: environment.settings.mailboxBound, work)
  }

  /// Executes a request of a client in a turn, and waits until its changes and all earlier ones are durable.
  ///
  /// - Parameter work: Executed in the turn.
  /// - Returns: The value that the work has returned.
  /// - Throws: ``SessionError/overloaded`` if the mailbox is full, or the error that ended the session before.
  func commit<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
  ) async throws(SessionError) -> Value {
    let result: Result<Value, SessionError> = await withCheckedContinuation { continuation in
      let isEnqueued = enqueueRequest { [self] in
        let value = work()
        whenCommitted { [self] isCommitted in
          continuation.resume(
            returning: isCommitted
              ? .success(value) : .failure(fault.map { .log($0) } ?? .ended))
        }
      }
      if !isEnqueued { continuation.resume(returning: .failure(.overloaded)) }
    }
    return try result.get()
  }

  /// Calls a closure with `true` when all earlier changes are durable, or with `false` if the
  /// session ends before.
  func whenCommitted(_ completion: @escaping @Sendable (_ isCommitted: Bool) -> Void) {
    let (waits, hasEnded) = commits.withLock { machine in
      (machine.whenAllIsCommitted(completion), machine.hasEnded)
    }
    if !waits { completion(!hasEnded) }
  }

  // MARK: The end

  /// Records that the log has the session.
  func didStore() {
    commits.withLock { $0.stored() }
  }

  /// Stops announcing batches: the log is about to write the end of the session.
  func beginEnding() {
    commits.withLock { $0.beginEnding() }
  }

  /// Resumes announcing batches: the log could not write the end of the session.
  func cancelEnding() {
    if commits.withLock({ $0.cancelEnding() }) { announceBatch() }
  }

  /// Ends the session: streams and pending requests are notified, effects are cancelled.
  func close(_ end: SessionEnd, fault: LogError? = nil) {
    let action = commits.withLock { $0.end(end, fault: fault) }
    if case .none = action { return }
    ended.store(true, ordering: .releasing)
    didLeaveMemory()
    // Mark the session as interrupted before its streams end: a client that reconnects immediately
    // must get a session that is loaded again.
    if end == .interrupted {
      interrupted.store(true, ordering: .releasing)
      environment.recovery.raise()
    }
    if case .close(let closing) = action { finish(closing) }
    pipeline.shutDown()
  }

  func finish(_ closing: CommitMachine<ActionReply>.Closing) {
    for observer in closing.observers { observer.sessionDidEnd(closing.end) }
    closing.replies.forEach { respondEnded($0.reply) }
    for proceed in closing.continuations { proceed(false) }
    // Those of requests that an interrupted start has not begun again.
    for repetition in commits.withLock({ $0.takeRepetitions() }) { repetition.completion(nil) }
  }

  /// Ends the session to evict it, unless a request, an effect or an observer needs it.
  ///
  /// The caller holds the only reference and shuts the pipeline down next. A value of a global that
  /// arrives meanwhile is not committed; it is delivered again when the session is loaded.
  ///
  /// - Returns: Whether the session has ended.
  func evict() -> Bool {
    guard pipeline.runningEffectCount == 0, pipeline.waitingCount == 0,
      commits.withLock({ $0.evict { ($0 as? any CommitObserver)?.isIdle ?? true } })
    else { return false }
    ended.store(true, ordering: .releasing)
    didLeaveMemory()
    return true
  }

  /// Responds to a request of a session that has ended.
  func respondEnded(_ reply: ActionReply) {
    switch fault {
    case nil: reply.respond(with: .ended)
    // All changes of the request are in one batch, which the log does not have.
    case .lost(let owner) where environment.router != nil && reply.endedInItsTurn:
      reply.respond(with: .displaced(by: owner))
    case let fault?: reply.respond(with: .notCommitted(fault))
    }
  }
}
