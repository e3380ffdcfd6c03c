public import ReactorCore
internal import Synchronization
internal import ReactorLog

/// A session in memory: its reactor, its part of the log, and the requests and observers between.
///
/// The reactor's pipeline executes one turn at a time: actions, outputs of effects and values of
/// globals. ``CommitMachine`` decides when the turn's mutations go to the log and which observers
/// and requests are notified of the commit; this object executes that. User code, the log, observers and completions are called
/// without a lock.
@usableFromInline
final class LiveSession: Session, BatchSource {
  @usableFromInline let key: SessionKey
  @usableFromInline let epoch: String
  @usableFromInline let parameters: [UInt8]?
  let pipeline: any PipelineControl
  let log: any SessionLog
  let environment: ReactorEnvironment
  let commits: Mutex<CommitMachine<ActionReply>>
  /// The latest revision of each global that the session has a mutation of.
  private let globals: Mutex<[String: UInt64]>
  /// The timers by id, those of unfinished batches included.
  ///
  /// Changed in the serial context only.
  let timers: Mutex<[String: StoredTimer]>
  @usableFromInline let meter = StateMeter()
  private let activityObservers = Mutex(ActivityObservers())
  /// Whether there are any, which the end of each turn asks.
  let isActivityObserved = Atomic<Bool>(false)
  /// Whether an effect has sent an action to another session.
  let hasSends = Atomic<Bool>(false)
  let outbox = Mutex<SendOutbox?>(nil)
  let audience = Mutex(Audience())
  let signalObservers = Mutex<[any SignalObserver]>([])
  private let interrupted = Atomic<Bool>(false)
  private let ended = Atomic<Bool>(false)
  /// The mark of a turn that no request executes, in the serial context; -1 for none.
  let turnMark = Atomic<Int>(-1)

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
  init(
    _ key: SessionKey, stored: StoredSession, isStored: Bool, snapshot: Int,
    timers: [StoredTimer], instance: NewInstance, log: any SessionLog,
    environment: ReactorEnvironment
  ) {
    self.key = key
    self.log = log
    self.environment = environment
    epoch = stored.epoch
    parameters = stored.parameters ?? environment.witness.parameters?.defaults
    pipeline = instance.pipeline
    globals = Mutex(stored.globals)
    self.timers = Mutex(timers.isEmpty ? [:] : Dictionary(timers.map { ($0.id, $0) }) { $1 })
    let cursor = Cursor(epoch: stored.epoch, version: stored.version)
    commits = Mutex(
      CommitMachine(
        at: CommittedState(cursor: cursor, json: []), lastActiveAt: stored.lastActiveAt,
        isStored: isStored, lastSnapshot: snapshot))
    environment.counts.sessions.add(1, ordering: .relaxed)
    instance.connect(self)
  }

  deinit {
    if !hasEnded { didLeaveMemory() }
    endTurnMark()
    pipeline.shutDown()
  }

  /// Called once, with the end of the session or with the last reference to it.
  private func didLeaveMemory() {
    environment.counts.sessions.subtract(1, ordering: .relaxed)
  }

  @usableFromInline var current: CommittedState {
    commits.withLock { $0.latest }
  }

  @usableFromInline var lastActiveAt: Timestamp {
    commits.withLock { $0.lastActiveAt }
  }

  /// The session as its reactor's instances see it.
  var scope: SessionScope {
    environment.scope(of: key, parameters)
  }

  /// The quota of running effects of the host.
  @usableFromInline var effectQuota: EffectQuota {
    environment.effectQuota
  }

  /// Whether the log has the session.
  var isStored: Bool {
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

  /// The error that ended the session; `nil` if it was deleted.
  var fault: LogError? {
    commits.withLock { $0.fault }
  }

  @usableFromInline
  func observe(_ observer: any SessionObserver) -> CommittedState? {
    commits.withLock { machine in
      let base = machine.add(observer)
      if base != nil { meter.setObserved(true) }
      return base
    }
  }

  @usableFromInline
  func stopObserving(_ observer: any SessionObserver) {
    commits.withLock { meter.setObserved($0.remove(observer)) }
  }

  /// Records the revision of a global.
  ///
  /// - Returns: Whether the session does not have it yet.
  func isNew(_ revision: UInt64, of global: String, isNull: Bool) -> Bool {
    globals.withLock { globals in
      let isNew = globals[global].map { $0 != revision } ?? !isNull
      if isNew { globals[global] = revision }
      return isNew
    }
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

  // MARK: Activity and history

  @usableFromInline var activity: SessionActivity {
    SessionActivity(running: pipeline.runningEffectCount, progress: pipeline.effectProgress)
  }

  @usableFromInline
  func observeActivity(_ observer: any ActivityObserver) {
    activityObservers.withLock { $0.add(observer) }
    isActivityObserved.store(true, ordering: .relaxed)
    // The activity is published at the end of a turn.
    enqueue {}
  }

  @usableFromInline
  func stopObservingActivity(_ observer: any ActivityObserver) {
    activityObservers.withLock { observers in
      observers.remove(observer)
      if observers.isEmpty { isActivityObserved.store(false, ordering: .relaxed) }
    }
  }

  /// Notifies the observers of the activity if it has changed, in the serial context.
  func publishActivity() {
    let activity = activity
    for observer in activityObservers.withLock({ $0.update(activity) }) {
      observer.activityDidChange(activity)
    }
  }

  @usableFromInline
  func state(at version: Int, completion: @escaping HistoryCompletion<CommittedState>) {
    SessionHistory(session: self).state(at: version, completion: completion)
  }

  @usableFromInline
  func entries(
    after version: Int, limit: Int, completion: @escaping HistoryCompletion<[LogEntry]>
  ) {
    SessionHistory(session: self).entries(after: version, limit: limit, completion: completion)
  }

  @usableFromInline
  func replay(
    after version: Int?, completion: @escaping HistoryCompletion<any StateReplay>
  ) {
    SessionHistory(session: self).replay(after: version, completion: completion)
  }

  // MARK: The end

  /// The log has the session from now on.
  func didStore() {
    commits.withLock { $0.stored() }
  }

  /// Stops announcing batches: the log is about to write the end of the session.
  func beginEnding() {
    commits.withLock { $0.beginEnding() }
  }

  /// Continues: the log could not write the end of the session.
  func cancelEnding() {
    if commits.withLock({ $0.cancelEnding() }) { log.announce(self) }
  }

  /// Ends the session: streams and pending requests are notified, effects are cancelled.
  func close(_ end: SessionEnd, fault: LogError? = nil) {
    let action = commits.withLock { $0.end(end, fault: fault) }
    if case .none = action { return }
    ended.store(true, ordering: .releasing)
    didLeaveMemory()
    // First, so that a client that returns at once gets a session that works.
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
  }

  /// Ends the session to evict it, unless a request, an effect or an observer needs it.
  ///
  /// The caller holds the only reference and calls ``shutDown()`` next. A value of a global that
  /// arrives meanwhile is not committed; it is delivered again when the session is loaded.
  ///
  /// - Returns: Whether the session has ended.
  func evict() -> Bool {
    guard pipeline.runningEffectCount == 0, pipeline.waitingCount == 0,
      commits.withLock({ $0.evict() })
    else { return false }
    ended.store(true, ordering: .releasing)
    didLeaveMemory()
    return true
  }

  /// Ends the reactor of an evicted session.
  func shutDown() {
    pipeline.shutDown()
  }

  /// Responds to a request of a session that has ended.
  func respondEnded(_ reply: ActionReply) {
    switch fault {
    case nil: reply.respond(with: .ended)
    // All that the request did is in one batch, which the log does not have.
    case .lost(let owner) where environment.router != nil && reply.endedInItsTurn:
      reply.respond(with: .displaced(by: owner))
    case let fault?: reply.respond(with: .notCommitted(fault))
    }
  }
}
