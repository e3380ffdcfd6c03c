/// Where the mutations of all sessions are kept: the only truth, of which every state is a fold.
///
/// Reading calls may touch a disk and return when they are done. Writing calls return at once and
/// report through their completion, on any thread, the calling one included.
public protocol MutationLog: Sendable {
  /// The part of the log that belongs to one session. Costs nothing until it is written to.
  func session(_ key: SessionKey) -> any SessionLog

  /// Stores a session whose history is another one's up to a version, in one step.
  ///
  /// Fails with ``LogError/conflict`` where the new session is stored already.
  ///
  /// - Parameters:
  ///   - source: The session whose entries are taken; those up to `version` must be kept still, or
  ///     a snapshot that stands in for them.
  ///   - version: The last version that is taken.
  ///   - target: The new session, in place of one that has ended.
  ///   - epoch: The name of the new history.
  ///   - completion: Called once the new session is as durable as the store is.
  func fork(
    _ source: SessionKey, at version: Int, to target: SessionKey, epoch: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void)

  /// The stored sessions of a reactor that have not ended, in ascending order of their ids' bytes.
  ///
  /// - Parameters:
  ///   - reactor: The reactor's name.
  ///   - id: Only sessions after this id.
  ///   - limit: At most so many.
  /// - Returns: What a list shows of each.
  /// - Throws: Where the log cannot be read.
  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary]

  /// The sessions with accepted actions that were not finished, in ascending order of their reactors'
  /// names and of their ids.
  ///
  /// What it takes depends on how many there are, not on how many sessions are stored.
  ///
  /// - Parameters:
  ///   - key: Only sessions after this one.
  ///   - limit: At most so many.
  /// - Returns: Their addresses.
  /// - Throws: Where the log cannot be read.
  func unfinishedSessions(after key: SessionKey?, limit: Int) throws(LogError) -> [SessionKey]

  /// A value that all sessions share, as it was set last; `nil` where it was never set.
  func sharedValue(_ name: String) throws(LogError) -> SharedValue?

  /// Sets a value that all sessions share, in place of the one before.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The global's name.
  ///   - completion: Called once the value is as durable as the store is.
  func share(
    _ value: SharedValue, as name: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void)

  /// Says what the snapshots are like that a hosted reactor can read.
  ///
  /// Only one of these may stand in for entries that retention removes. A log that does not outlive its
  /// process has no others.
  ///
  /// - Parameters:
  ///   - reactor: The reactor's name.
  ///   - schema: The fingerprint of its State and Mutation.
  func willFold(_ reactor: String, schema: String)
}

extension MutationLog {
  /// Does nothing.
  public func willFold(_ reactor: String, schema: String) {}
}

/// Somebody who has something to append.
public protocol BatchSource: AnyObject, Sendable {
  /// Appends what there is by now, or nothing.
  ///
  /// The log that the source was announced to calls this, once for each time, on any thread.
  func appendBatch()
}

/// The log of one session.
public protocol SessionLog: AnyObject, Sendable {
  /// What is known of the session.
  func record() throws(LogError) -> SessionRecord

  /// Stores a session without mutations, in place of one that has ended.
  ///
  /// Fails with ``LogError/conflict`` where one is stored already.
  func create(
    epoch: String, completion: @escaping @Sendable (Result<Void, LogError>) -> Void)

  /// Asks a source for its batch when the log can write it, so that what comes until then is written
  /// with it. By default that is at once.
  func announce(_ source: any BatchSource)

  /// Appends a batch after a version. Stores the session where it is not and the version is 0.
  ///
  /// - Parameters:
  ///   - batch: What is to be written, not empty. The entries' versions follow `version` without a
  ///     gap; without entries the session stays at `version`.
  ///   - epoch: The history that the writer believes in.
  ///   - version: The version that the writer expects the log to be at. Where it or the epoch is
  ///     another one, nothing is written and the append fails with ``LogError/conflict``.
  ///   - completion: Called once the batch is as durable as the store is.
  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void)

  /// Marks the session as ended and forgets all that belongs to it.
  func end(completion: @escaping @Sendable (Result<Void, LogError>) -> Void)

  /// The entries after a version, in order, at most `limit`. What retention removed is missing
  /// from the front.
  func entries(after version: Int, limit: Int) throws(LogError) -> [LogEntry]

  /// The latest snapshot at or before a version; `nil` where there is none.
  ///
  /// - Parameters:
  ///   - version: The last version that it may have.
  ///   - schema: The fingerprint that it must have; `nil` for any.
  /// - Returns: The snapshot.
  /// - Throws: Where the log cannot be read.
  func snapshot(atOrBefore version: Int, of schema: String?) throws(LogError) -> Snapshot?

  /// The accepted actions that were not finished, in the order of their ids.
  func acceptedActions() throws(LogError) -> [AcceptedAction]

  /// The answer that was kept for an idempotency key of the session's history; `nil` for none.
  ///
  /// It may be older than answers are to be kept: a log removes those when it comes to it.
  func outcome(of key: String) throws(LogError) -> KeptOutcome?

  /// Keeps a snapshot. It only saves time: losing one loses nothing.
  func save(_ snapshot: Snapshot, of epoch: String)
}

/// Why the log did not do what was asked.
///
/// Nothing was written then.
public enum LogError: Error, Equatable, Sendable {
  /// Another writer owns the session's history.
  case conflict

  /// There is no room left.
  case full

  /// The store cannot be reached.
  case unavailable(String)

  /// What is stored cannot be read.
  case corrupt(String)

  /// The mutation of a version, or a snapshot of it, cannot be read by this release of the reactor.
  case unreadable(version: Int, reason: String)
}

extension SessionLog {
  /// Asks at once.
  public func announce(_ source: any BatchSource) {
    source.appendBatch()
  }

  /// The latest snapshot at or before a version, whoever folded it.
  public func snapshot(atOrBefore version: Int) throws(LogError) -> Snapshot? {
    try snapshot(atOrBefore: version, of: nil)
  }
}
