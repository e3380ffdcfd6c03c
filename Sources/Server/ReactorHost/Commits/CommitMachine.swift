internal import ReactorLog
internal import Telemetry

/// The commit of one session's mutations: the batch at the log, the states that its commit makes
/// visible, and the replies that wait for it.
///
/// A value without a log, a lock, a clock or user code. Each method records an event and returns
/// the action that the caller executes, after it has released its lock.
///
/// ```
///              a turn ends,               the log requests
///              changes are pending        the batch
///       idle ───────────────▶ announced ──────────────────▶ appending
///        ▲                     │      ▲                         │
///        │     a turn runs, or │      │ changes                 │ the log has
///        │     the end is      │      │ are pending             ▼ committed it
///        │     being written   │      └─────────────────── publishing
///        │◀────────────────────┘                                │
///        └──────────────────────────────────────────────────────┘ nothing is pending
///
///       every phase ──▶ ended      deleted, evicted, rejected by the log, or not encodable
///       appending ──▶ closing ──▶ ended      the log completes the batch after the end
/// ```
///
/// - At most one batch is at the log. Mutations that are reduced meanwhile form the next batch.
/// - A state becomes visible when its batch is committed: first to the requests that caused it, then to
///   the observers, in version order and each version once.
/// - A turn's changes are committed in one batch: no batch is formed while a turn runs.
struct CommitMachine<Reply: Sendable>: Sendable {
  /// Called once: with `true` when a batch is committed, with `false` if the session ends before.
  typealias Continuation = @Sendable (_ isCommitted: Bool) -> Void

  /// Reasons not to form a batch.
  private struct Holds: OptionSet, Sendable {
    let rawValue: UInt8
    /// A turn has caused mutations and is not over.
    static var turn: Holds { Holds(rawValue: 1) }
    /// The log is writing the end of the session, and would reject later batches.
    static var ending: Holds { Holds(rawValue: 2) }
    /// The log has rejected a batch, and the session is about to end.
    static var rejection: Holds { Holds(rawValue: 4) }
  }

  /// The state that was committed last.
  private(set) var latest: CommittedState
  /// The version of the last mutation that was reduced, committed or not.
  private(set) var reducedVersion: Int
  private(set) var lastActiveAt: Timestamp
  /// Whether the log has the session, which can be in memory only until its first commit.
  private(set) var isStored: Bool
  private var creationIsTaken: Bool
  private(set) var phase = Phase.idle
  private var holds: Holds = []
  private var pendingEntries: [LogEntry] = []
  private var pendingStates = SmallArray<[UInt8]?>()
  var journal = JournalChanges()
  var lastJournalRequest = 0
  private var takenBatches = 0
  private var committedBatches = 0
  private var continuations: [(batch: Int, proceed: Continuation)] = []
  private var waiting = SmallArray<WaitingReply>()
  /// The idempotency keys of requests that are being executed, by name.
  var keys: [String: ClaimedKey] = [:]
  var releasedKeys = 0  // for `claim(_:at:)`
  /// The repetitions that wait for these requests, by the name of the key.
  var repetitions: [String: [Repetition]] = [:]
  /// The requests of the journal that this release cannot decode.
  var blocked: [InterruptedRequest] = []
  var observers: [any SessionObserver] = []
  /// The number of observers that do not prevent the eviction of the session.
  var passiveObservers = 0
  var lastSnapshot: Int
  /// The bytes of the mutations since the last snapshot, as far as they are known.
  var bytesSinceSnapshot = 0
  /// A snapshot of mutations that are not committed yet.
  @Boxed var snapshot: Snapshot? = nil

  /// Creates a machine for a session at a version of its log.
  init(
    at latest: CommittedState, lastActiveAt: Timestamp, isStored: Bool, lastSnapshot: Int
  ) {
    self.latest = latest
    self.lastActiveAt = lastActiveAt
    self.isStored = isStored
    creationIsTaken = isStored
    self.lastSnapshot = lastSnapshot
    reducedVersion = latest.version
  }

  /// Whether the session has ended.
  var hasEnded: Bool { phase.hasEnded }

  /// The error that ended the session, or `nil` if it was deleted or evicted.
  var fault: LogError? { phase.fault }
}

// MARK: Turns and batches

extension CommitMachine {
  /// The reactor's streams are connected, and this is its state.
  mutating func connected(at json: [UInt8]) {
    latest = CommittedState(cursor: latest.cursor, json: json)
  }

  /// A turn has folded a mutation into the state.
  ///
  /// - Parameters:
  ///   - entry: The mutation; its version is set.
  ///   - state: The state after it, or `nil` if it was not encoded.
  /// - Returns: The version of the state, or `nil` after the end, where the mutation is dropped.
  mutating func reduced(_ entry: consuming LogEntry, to state: consuming [UInt8]?) -> Int? {
    guard !hasEnded else { return nil }
    reducedVersion += 1
    holds.insert(.turn)
    entry.version = reducedVersion
    bytesSinceSnapshot += entry.mutation.count
    pendingEntries.append(entry)
    pendingStates.append(state)
    return reducedVersion
  }

  /// A turn of the session is over.
  mutating func endTurn() -> TurnEnd {
    if case .some(.none) = pendingStates.last { return .encodeState }
    holds.remove(.turn)
    return announceIfDue() ? .announce : .rest
  }

  /// Whether a turn has caused changes and is not over.
  var hasTurn: Bool { holds.contains(.turn) }

  /// Stores the JSON of the state after the turn's last mutation.
  mutating func encodedLastState(_ json: [UInt8]) {
    guard !pendingStates.isEmpty else { return }
    pendingStates.replaceLast(with: json)
  }

  /// The log requests the batch that was announced.
  ///
  /// - Parameter stopwatch: Measures the commit, see ``Publication``.
  /// - Returns: The batch, and the version that it follows, or `nil` while a batch must not be formed.
  ///   The machine announces the batch again when it can be formed.
  mutating func takeBatch(at stopwatch: Stopwatch) -> (batch: LogBatch, version: Int)? {
    guard case .announced = phase else { return nil }
    guard hasBatch else {
      phase = .idle
      return nil
    }
    takenBatches += 1
    var entries: [LogEntry] = []
    swap(&entries, &pendingEntries)
    let last = entries.indices.last  // `entries.last` would copy the entry.
    let change = last.map { entries[$0].at }
    let version = last.map { entries[$0].version } ?? latest.version
    let states = pendingStates.removeAll()
    phase = .appending(Batch(stopwatch: stopwatch, states: states, lastChange: change))
    defer { if !journal.isEmpty { journal = JournalChanges() } }
    return (journal.batch(entries, version: version), latest.version)
  }

  /// The log has committed the batch.
  ///
  /// The caller publishes it and calls ``published()``.
  ///
  /// - Parameter snapshotInterval: The number of mutations between two snapshots.
  /// - Returns: The publication, or `nil` if no batch is at the log.
  mutating func committed(snapshotInterval: Int) -> Publication? {
    let batch: Batch
    switch phase {
    case .appending(let appended):
      (batch, phase) = (appended, .publishing)
    case .closing(let appended, let end, let fault):
      (batch, phase) = (appended, .ended(end, fault: fault, isPublishing: true))
    case .idle, .announced, .publishing, .ended: return nil
    }
    let base = latest.version
    committedBatches += 1
    isStored = true
    if case .some(.some(let json)) = batch.states.last {
      latest = CommittedState(
        cursor: Cursor(epoch: latest.cursor.epoch, version: base + batch.states.count), json: json)
    }
    if let lastChange = batch.lastChange { lastActiveAt = lastChange }
    return Publication(
      version: base, states: batch.states, stopwatch: batch.stopwatch, observers: observers,
      continuations: dueContinuations(), replies: dueReplies(), latest: latest,
      snapshot: dueSnapshot(),
      snapshotIsDue: snapshotIsDue(at: latest.version, interval: snapshotInterval))
  }

  /// The log has rejected the batch.
  ///
  /// - Returns: The closing of a session that has ended meanwhile, or `nil` if the caller ends the
  ///   session.
  mutating func rejectedBatch(_ error: LogError) -> Closing? {
    switch phase {
    case .appending:
      holds.insert(.rejection)
      phase = .idle
    case .closing(_, let end, let fault):
      // The rest of the replies wait for this batch.
      phase = .ended(end, fault: fault == nil ? nil : error, isPublishing: false)
      return takeClosing(end)
    case .idle, .announced, .publishing, .ended: break
    }
    return nil
  }

  /// A committed batch has been published.
  mutating func published() -> PublicationEnd {
    switch phase {
    case .publishing:
      phase = .idle
      return announceIfDue() ? .announce : .rest
    case .ended(let end, let fault, isPublishing: true):
      phase = .ended(end, fault: fault, isPublishing: false)
      return .close(takeClosing(end))
    case .idle, .announced, .appending, .closing, .ended: return .rest
    }
  }

  /// Whether changes are pending that can form a batch now.
  private var hasBatch: Bool {
    holds.isEmpty && hasPendingChanges
  }

  private var hasPendingChanges: Bool {
    !(pendingEntries.isEmpty && journal.isEmpty)
  }

  private mutating func announceIfDue() -> Bool {
    guard case .idle = phase, hasBatch else { return false }
    phase = .announced
    return true
  }

  private mutating func dueContinuations() -> [Continuation] {
    guard !continuations.isEmpty else { return [] }
    let due = continuations.prefix { $0.batch <= committedBatches }.map { $0.proceed }
    continuations.removeFirst(due.count)
    return due
  }

  private mutating func dueReplies() -> SmallArray<WaitingReply> {
    let (version, batch) = (latest.version, committedBatches)
    let due = waiting.removeAll { $0.version <= version && $0.batch <= batch }
    if !keys.isEmpty { due.forEach { release($0.key) } }
    return due
  }

  private mutating func dueSnapshot() -> Snapshot? {
    guard let due = snapshot, due.version <= latest.version else { return nil }
    snapshot = nil
    return due
  }
}

// MARK: Replies

extension CommitMachine {
  /// All actions of a request have ended.
  ///
  /// - Parameters:
  ///   - reply: The request's reply.
  ///   - key: Its idempotency key.
  ///   - version: The version of the last mutation that it caused; 0 for none.
  ///   - journalled: Its actions that the journal has; they are removed.
  ///   - failure: The failure that the key's outcome stores.
  ///   - time: The time that the key's outcome stores.
  /// - Returns: The decision about the reply.
  mutating func finished(
    _ reply: Reply, key: IdempotencyKey?, version: Int, journalled: [AcceptedAction.ID],
    failure: ActionFailure?, at time: Timestamp?
  ) -> ReplyDecision {
    guard !hasEnded else {
      release(key)
      return .ended(fault)
    }
    for id in journalled { journal.finish(id) }
    let isUnchanged = journalled.isEmpty && journal.timers.isEmpty && journal.settled.isEmpty
    var batch = isUnchanged ? 0 : takenBatches + 1
    if let key, let time {
      journal.outcomes.append((key, time, failure))
      batch = takenBatches + 1
    }
    return decide(WaitingReply(reply: reply, key: key, version: version, batch: batch))
  }

  /// A request is rejected because the session is at another version than it expects.
  ///
  /// The reply waits until the version at which the request was rejected is committed.
  mutating func rejected(_ reply: Reply, key: IdempotencyKey?) -> ReplyDecision {
    release(key)
    guard !hasEnded else { return .ended(fault) }
    return decide(WaitingReply(reply: reply, key: nil, version: reducedVersion, batch: 0))
  }

  private mutating func decide(_ reply: WaitingReply) -> ReplyDecision {
    guard reply.version > latest.version || reply.batch > committedBatches else {
      release(reply.key)
      return .respond(latest)
    }
    waiting.append(reply)
    return .wait
  }
}

// MARK: The journal

extension CommitMachine {
  /// Adds actions whose effects outlive their turn to the journal, with the mutations that they have
  /// caused so far.
  ///
  /// - Parameters:
  ///   - proceed: Called when the batch with the actions is committed.
  ///   - actions: Creates the actions with the number of their request.
  /// - Returns: The actions, or `nil` after the end.
  mutating func accept(
    then proceed: Continuation?, _ actions: (_ request: Int) -> [AcceptedAction]
  ) -> [AcceptedAction]? {
    guard !hasEnded else { return nil }
    lastJournalRequest += 1
    let actions = actions(lastJournalRequest)
    for action in actions { journal.accepted[action.id] = action }
    if let proceed { whenNextBatchIsCommitted(proceed) }
    return actions
  }

  /// Replaces an action that the journal has.
  mutating func replace(_ action: AcceptedAction) {
    guard !hasEnded else { return }
    journal.accepted[action.id] = action
  }

  /// An action in the journal has ended, and others of its request continue.
  ///
  /// - Parameters:
  ///   - id: The action.
  ///   - failed: Replaces the action if its failure must be stored; `nil` removes it.
  mutating func ended(_ id: AcceptedAction.ID, failed: AcceptedAction?) {
    guard !hasEnded else { return }
    if let failed { journal.accepted[id] = failed } else { journal.finish(id) }
  }

  /// Counts a start of interrupted requests, which `proceed` restarts once the count is durable.
  ///
  /// - Returns: Whether the session is open; if not, `proceed` is not called.
  mutating func restart(
    _ requests: [InterruptedRequest], at now: Timestamp, then proceed: @escaping Continuation
  ) -> Bool {
    guard !hasEnded else { return false }
    for request in requests {
      if let key = request.key { keys[key.name] = ClaimedKey(key: key, isAccepted: true) }
      for action in request.restarted(at: now) { journal.accepted[action.id] = action }
    }
    whenNextBatchIsCommitted(proceed)
    return true
  }

  /// Removes an interrupted request from the journal and stores its failure.
  mutating func giveUp(
    _ request: InterruptedRequest, failure: ActionFailure, at now: Timestamp
  ) {
    for action in request.actions { journal.finish(action.id) }
    if let key = request.key { journal.outcomes.append((key, now, failure)) }
  }

  /// Changes the journal with the batch of an open session's turn; its commit calls `proceed`.
  mutating func change(
    then proceed: @escaping Continuation, _ change: (inout JournalChanges) -> Void
  ) {
    holds.insert(.turn)
    change(&journal)
    whenNextBatchIsCommitted(proceed)
  }

  /// Calls a continuation when all earlier changes are committed.
  ///
  /// - Returns: Whether uncommitted changes exist; if not, the continuation is not called.
  mutating func whenAllIsCommitted(_ proceed: @escaping Continuation) -> Bool {
    guard !hasEnded else { return false }
    if hasPendingChanges {
      whenNextBatchIsCommitted(proceed)
    } else if takenBatches > committedBatches {
      continuations.append((takenBatches, proceed))
    } else {
      return false
    }
    return true
  }

  private mutating func whenNextBatchIsCommitted(_ proceed: @escaping Continuation) {
    continuations.append((takenBatches + 1, proceed))
  }
}

// MARK: The end

extension CommitMachine {
  /// Records that the log has the session.
  mutating func stored() {
    isStored = true
  }

  /// Returns `true` once, when the log has a session that it did not have at first.
  mutating func takeCreation() -> Bool {
    guard isStored, !creationIsTaken else { return false }
    creationIsTaken = true
    return true
  }

  /// Stops forming batches, because the log is about to write the end of the session.
  mutating func beginEnding() {
    holds.insert(.ending)
  }

  /// The log could not write the end of the session, which continues.
  ///
  /// - Returns: Whether to announce a batch.
  mutating func cancelEnding() -> Bool {
    holds.remove(.ending)
    return announceIfDue()
  }

  /// Ends the session.
  ///
  /// Mutations that are not at the log are dropped. The observers, and the replies and continuations
  /// that wait for the batch at the log, are notified after its result.
  mutating func end(_ end: SessionEnd, fault: LogError?) -> EndAction {
    guard !hasEnded else { return .none }
    (pendingEntries, pendingStates, journal) = ([], SmallArray(), JournalChanges())
    switch phase {
    case .publishing:
      phase = .ended(end, fault: fault, isPublishing: true)
      return .closeLater
    case .appending(let batch):
      phase = .closing(batch, end, fault: fault)
      return .close(takeClosing(end, besides: batch))
    case .idle, .announced, .closing, .ended:
      phase = .ended(end, fault: fault, isPublishing: false)
      return .close(takeClosing(end))
    }
  }

  /// Ends an unused session, to evict it from memory.
  ///
  /// - Parameter isIdle: Whether an observer that does not retain the session has no work left.
  /// - Returns: Whether it has ended; `false` if a request, an observer or the log still uses it.
  mutating func evict(isIdle: (any SessionObserver) -> Bool = { _ in true }) -> Bool {
    if hasEnded { return true }
    guard case .idle = phase, !hasPendingChanges else { return false }
    guard observers.count == passiveObservers, waiting.isEmpty, continuations.isEmpty,
      observers.allSatisfy(isIdle)
    else { return false }
    phase = .ended(.interrupted, fault: nil, isPublishing: false)
    return true
  }

  private mutating func takeClosing(_ end: SessionEnd) -> Closing {
    defer { (observers, continuations, keys) = ([], [], [:]) }
    return Closing(
      end: end, observers: observers, replies: waiting.removeAll(),
      continuations: continuations.map { $0.proceed })
  }

  /// Removes the replies and continuations that do not wait for the batch at the log.
  private mutating func takeClosing(_ end: SessionEnd, besides batch: Batch) -> Closing {
    let (version, taken) = (latest.version + batch.states.count, takenBatches)
    let late = continuations.filter { $0.batch > taken }
    continuations.removeLast(late.count)
    keys = [:]
    return Closing(
      end: end, observers: [],
      replies: waiting.removeAll { $0.version > version || $0.batch > taken },
      continuations: late.map { $0.proceed })
  }
}
