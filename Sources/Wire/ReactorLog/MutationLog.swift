/// Stores the mutations of all sessions.
///
/// Every state is a fold of them.
///
/// Asynchronous writes can be called in any task. They suspend it until the change is as durable as the store
/// is, and block no thread. The task continues on its own executor, never on a thread that completes commits.
/// Its cancellation has no effect on a write.
///
/// ``SessionLog/append(_:to:expecting:completion:)`` returns immediately and calls its completion on any thread,
/// possibly before it returns.
///
/// Reading calls block the calling thread, on the disk if ``readsFromDisk``. They throw if the log cannot be read. A
/// read that begins after the end of a write sees that write.
public protocol MutationLog: Sendable {
  /// Returns the log of a session. Does not create the session.
  func session(_ key: SessionKey) -> any SessionLog

  /// Creates a session with another one's history up to a version, atomically.
  ///
  /// - Parameters:
  ///   - source: The session to copy. Its entries up to the version must be stored, or a snapshot that
  ///     replaces them. A session that was never stored has version 0, of any epoch.
  ///   - cursor: The history of the other session, and its last version to copy. The history has ended
  ///     if the session has another epoch, because it was created again.
  ///   - target: The new session; it may replace an ended one.
  ///   - epoch: The name of the new history.
  ///   - parameters: The parameters of the new session, as JSON. Snapshots are not copied then, since
  ///     they depend on those of the other session. `nil` copies both.
  /// - Throws: ``LogError/lost(to:)``: the new session is stored already, or the history of the other one has
  ///   ended, or its log does not contain the version any more. Other errors are those of the store.
  func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError)

  /// Lists the stored sessions of a reactor that have not ended, in ascending order of their ids' bytes.
  ///
  /// The cost depends on the limit, not on the number of sessions.
  ///
  /// - Parameters:
  ///   - reactor: The reactor's name.
  ///   - id: Only sessions after this id.
  ///   - limit: The maximum number of sessions.
  /// - Returns: Their summaries.
  /// - Throws: If the log cannot be read.
  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary]

  /// Lists the sessions with unfinished actions in the journal, in ascending order of their reactors' names
  /// and of their ids.
  ///
  /// The cost depends on their number, not on the number of sessions.
  ///
  /// - Parameters:
  ///   - key: Only sessions after this one.
  ///   - limit: The maximum number of sessions.
  /// - Returns: Their keys.
  /// - Throws: If the log cannot be read.
  func unfinishedSessions(after key: SessionKey?, limit: Int) throws(LogError) -> [SessionKey]

  /// Reads the timers of all sessions that are due, in the order of their positions.
  ///
  /// The cost depends on the limit, not on the number of timers.
  ///
  /// - Parameters:
  ///   - position: Only timers after this position; `nil` begins with the first.
  ///   - time: Only timers that are due at this time or earlier.
  ///   - limit: The maximum number of timers; at least 1.
  /// - Returns: The timers, and the due time of the next one if fewer than `limit` are due.
  /// - Throws: If the log cannot be read.
  func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers

  /// Counts the timers of all sessions.
  func timerCount() throws(LogError) -> Int

  /// Reads stored values that a release must be able to decode, for a check of its types.
  ///
  /// - Parameters:
  ///   - position: The position of the page.
  ///   - time: How long to read.
  /// - Returns: The page.
  /// - Throws: If the log cannot be read.
  func samples(
    after position: SamplePosition, within time: Duration
  ) throws(LogError) -> SamplePage

  /// Lists the stored failures of a reactor, the latest first; at most ``StoredFailure/limit``.
  func failures(of reactor: String) throws(LogError) -> [StoredFailure]

  /// Reads the current value of a global, or returns `nil` if it was never set.
  func sharedValue(_ name: String) throws(LogError) -> SharedValue?

  /// Sets a global.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The global's name.
  /// - Throws: ``LogError/lost(to:)``: another process has set the global since this one has read or set it.
  ///   Other errors are those of the store.
  func share(_ value: SharedValue, as name: String) async throws(LogError)

  /// Confirms that values of globals which are read after this call are not older than it.
  ///
  /// - Throws: If the store cannot be reached.
  func confirmReads() throws(LogError)

  /// The changes of all sessions in the order of commits, or `nil` if they are not retained.
  var changes: (any ChangeFeed)? { get }

  /// The error with which writes fail at present, or `nil` while the log can be written.
  ///
  /// Costs at most two system calls.
  var failure: LogError? { get }

  /// Whether reading calls block the calling thread on the disk.
  ///
  /// If `true`, request workers must not make these calls.
  var readsFromDisk: Bool { get }

  /// Declares which snapshots a hosted reactor can decode.
  ///
  /// Only these snapshots may replace entries that retention deletes. A log in memory has no other
  /// snapshots.
  ///
  /// - Parameters:
  ///   - reactor: The reactor's name.
  ///   - schema: The fingerprint of its State and Mutation.
  func willFold(_ reactor: String, schema: String)
}

extension MutationLog {
  /// `false`: no reading call blocks on the disk.
  public var readsFromDisk: Bool { false }

  /// Creates a session with another one's history up to a version, and its parameters.
  public func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String
  ) async throws(LogError) {
    try await fork(source, at: cursor, to: target, epoch: epoch, parameters: nil)
  }

  /// Succeeds: only one process uses the log.
  public func confirmReads() throws(LogError) {}

  /// `nil`: changes are not retained.
  public var changes: (any ChangeFeed)? { nil }

  /// `nil`: the log can always be written.
  public var failure: LogError? { nil }

  /// Does nothing.
  public func willFold(_ reactor: String, schema: String) {}

  /// Returns no timers: the log does not store any.
  public func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers { .none }

  /// Returns 0: the log does not store timers.
  public func timerCount() throws(LogError) -> Int { 0 }

  /// Returns no failures: the log does not store any.
  public func failures(of reactor: String) throws(LogError) -> [StoredFailure] { [] }

  /// Returns no samples: only one release writes the log.
  public func samples(
    after position: SamplePosition, within time: Duration
  ) throws(LogError) -> SamplePage { SamplePage() }
}

/// A session with changes to append.
public protocol BatchSource: AnyObject, Sendable {
  /// A number of the client whose changes are pending, so that logs can serve clients in turn; 0 for none.
  ///
  /// Read on any thread.
  var owner: Int { get }

  /// Appends the pending changes, if any.
  ///
  /// Called by the log, once per ``SessionLog/announce(_:)``, on any thread.
  func appendBatch()
}

extension BatchSource {
  /// 0: the changes are those of no client.
  public var owner: Int { 0 }
}

/// The log of one session.
///
/// Reading and writing calls are like those of ``MutationLog``.
public protocol SessionLog: AnyObject, Sendable {
  /// Reads what is needed to continue the session in memory, with one call.
  ///
  /// - Parameter schema: The fingerprint of the snapshot that the caller can decode, or `nil` for any.
  /// - Returns: The session.
  /// - Throws: If the log cannot be read.
  func load(schema: String?) throws(LogError) -> LoadedSession

  /// Reads the state of the session: whether it exists, and its version.
  func record() throws(LogError) -> SessionRecord

  /// Creates the session without mutations.
  ///
  /// - Parameters:
  ///   - epoch: The name of its history.
  ///   - parameters: Its parameters, as JSON, or `nil` for none.
  ///   - replacesEnded: Whether it may replace a session that has ended.
  /// - Throws: ``LogError/lost(to:)``: the session is stored already, or has ended and must not be replaced.
  ///   Other errors are those of the store.
  func create(epoch: String, parameters: [UInt8]?, replacesEnded: Bool) async throws(LogError)

  /// Whether batches are announced before they are appended, because the log writes those of
  /// several sessions together; otherwise each batch is appended immediately. Constant.
  var collectsBatches: Bool { get }

  /// Calls a source when the log can write its batch. Changes until that call belong to the batch.
  ///
  /// The default implementation calls it immediately.
  func announce(_ source: any BatchSource)

  /// Appends a batch after a version. Creates a missing session if the version is 0.
  ///
  /// - Parameters:
  ///   - batch: The changes; not empty. The versions of the entries follow `version` without gaps;
  ///     without entries the session stays at `version`.
  ///   - epoch: The history that the writer expects.
  ///   - version: The version that the writer expects. If the log is at another version or epoch,
  ///     nothing is written and the append fails with ``LogError/lost(to:)``.
  ///   - completion: Called once the batch is as durable as the store is.
  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void)

  /// Marks the session as ended and deletes its data.
  func end() async throws(LogError)

  /// Reads the process that has appended last.
  ///
  /// Processes that share a log call it before they load a session. Returns `nil` if the log does not store writers.
  func lastWriter() throws(LogError) -> NodeID?

  /// Confirms that the log had no change at the time of this call that the session in memory lacks.
  ///
  /// Called before a client with an unknown position is reset: a process that is cut off from the
  /// other processes does not know their appends.
  ///
  /// - Parameters:
  ///   - epoch: The history of the session in memory.
  ///   - version: Returns the last version of that session whose append has completed.
  /// - Throws: ``LogError/lost(to:)``: another process has appended to the session, or ended it.
  ///   ``LogError/unavailable(_:)``: the store does not confirm it.
  func confirmEnd(of epoch: String, at version: () -> Int) throws(LogError)

  /// Reads the entries after a version, in order and without a gap.
  ///
  /// The result begins with the oldest retained entry if retention has deleted earlier ones.
  ///
  /// - Parameters:
  ///   - version: The version before the first entry.
  ///   - limit: The maximum number of entries. A log may return fewer, because they are large or the
  ///     next one is damaged; only an empty result is the end.
  /// - Returns: The entries.
  /// - Throws: If the log cannot be read, or the first entry is damaged or missing.
  func entries(after version: Int, limit: Int) throws(LogError) -> [LogEntry]

  /// Reads the latest snapshot at or before a version, or returns `nil` if there is none.
  ///
  /// - Parameters:
  ///   - version: The maximum version.
  ///   - schema: The required fingerprint, or `nil` for any.
  /// - Returns: The snapshot.
  /// - Throws: If the log cannot be read.
  func snapshot(atOrBefore version: Int, of schema: String?) throws(LogError) -> Snapshot?

  /// Reads the outcome of an idempotency key in the session's history, or returns `nil` for none.
  ///
  /// It may be older than its retention, because logs delete outcomes in batches. If there is none, the outcome may be
  /// one that a former release has stored, whose keys belonged to no principal.
  func outcome(of key: String) throws(LogError) -> StoredOutcome?

  /// Stores a snapshot. It only saves time: losing one loses no data.
  func save(_ snapshot: Snapshot, of epoch: String)
}

extension SessionLog {
  /// Creates the session without mutations; it may replace an ended one.
  public func create(epoch: String, parameters: [UInt8]?) async throws(LogError) {
    try await create(epoch: epoch, parameters: parameters, replacesEnded: true)
  }

  /// Loads the session with any snapshot.
  package func load() throws(LogError) -> LoadedSession { try load(schema: nil) }

  /// Reads the latest snapshot at or before a version, of any schema.
  package func snapshot(atOrBefore version: Int) throws(LogError) -> Snapshot? {
    try snapshot(atOrBefore: version, of: nil)
  }

  /// Returns `nil`: the log does not store the writer.
  public func lastWriter() throws(LogError) -> NodeID? { nil }

  /// Succeeds: only one process uses the log.
  public func confirmEnd(of epoch: String, at version: () -> Int) throws(LogError) {}

  /// Calls the source immediately.
  public func announce(_ source: any BatchSource) {
    source.appendBatch()
  }
}
