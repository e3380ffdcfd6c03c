public import Shares
internal import Synchronization

/// A log in memory, for tests, demonstrations and state that may be lost.
///
/// It retains the outcomes of the latest 10,000 idempotency keys per session.
public final class MemoryLog: MutationLog {
  private let table: MemoryTable

  /// Creates an empty log.
  ///
  /// - Parameters:
  ///   - retainedVersions: The minimum number of latest entries that are retained per session. Older
  ///     ones are deleted when a snapshot replaces them, so that the memory of a session is bounded.
  ///   - retention: Numbers of versions for individual reactors, which replace `retainedVersions`.
  ///     Other rules are ignored.
  ///   - outcomeRetention: How long the outcomes of idempotency keys are retained.
  ///   - changeRetention: How long the latest 65,536 changes of all sessions are retained; zero for not
  ///     at all.
  ///   - ledger: Bounds the bytes of the histories of all sessions, with their parameters, timers, accepted
  ///     actions and outcomes, and 512 bytes for each session that was ever stored. Beyond the bound, a session
  ///     that grows retains only the entries after the latest snapshot; a write that exceeds the bound even
  ///     then, and a fork beyond half of it, fail with ``LogError/full``. The end of a session releases its
  ///     bytes, except for the 512.
  public init(
    retainedVersions: Int = 10_000, retention: RetentionRules = RetentionRules(),
    outcomeRetention: Duration = IdempotencyKey.retention, changeRetention: Duration = .zero,
    ledger: Ledger = Ledger(memory: 1 << 30)
  ) {
    let milliseconds = outcomeRetention / .milliseconds(1)
    table = MemoryTable(
      retained: retainedVersions, retention: retention,
      outcomeRetention: milliseconds < 9e15 ? Int64(milliseconds) : .max,
      feed: changeRetention > .zero ? MemoryFeed(retaining: changeRetention) : nil,
      budget: MemoryBudget(ledger))
  }

  /// Returns the log of a session.
  public func session(_ key: SessionKey) -> any SessionLog {
    MemorySessionLog(key, in: table)
  }

  /// Creates a session with another one's history up to a version.
  public func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError) {
    let original = table.find(source) ?? MemorySession()
    guard let (history, inherited) = original.history(upTo: cursor, parameters: parameters) else {
      throw .lost(to: nil)
    }
    guard table.budget.reserve(history.byteCount, forCopy: true) else { throw .full }
    let session = table.findOrMake(target)
    let result =
      session?.begin(
        epoch, with: history, parameters: inherited,
        forkedFrom: StoreChange.Origin(session: source.id, version: cursor.version), of: target,
        in: table) ?? .full
    guard let session, result == .created else {
      table.budget.release(history.byteCount)
      throw result == .full ? .full : .lost(to: nil)
    }
    table.updateIndex(target, session)
    table.feed?.publish()
  }

  /// The latest changes of all sessions.
  public var changes: (any ChangeFeed)? { table.feed }

  /// Lists the stored sessions of a reactor.
  public func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    let found = table.sessions(of: reactor, after: id, limit: limit)
    return found.map { id, stored in
      SessionSummary(
        id: id, cursor: Cursor(epoch: stored.epoch, version: stored.version),
        subscribers: 0, lastActiveAt: stored.lastActiveAt)
    }
  }

  /// Lists the sessions with unfinished actions in the journal.
  public func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    table.unfinished.withLock { $0.keys(after: key, limit: limit) }
  }

  /// Reads the timers that are due.
  public func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers {
    table.timers.withLock { $0.due(after: position, until: time, limit: limit) }
  }

  /// Counts the timers.
  public func timerCount() throws(LogError) -> Int {
    table.timers.withLock { $0.count }
  }

  /// Lists the stored failures of a reactor.
  public func failures(
    of reactor: String
  ) throws(LogError) -> [StoredFailure] {
    table.failures.withLock { ($0[reactor] ?? []).reversed() }
  }

  /// Reads the current value of a global.
  public func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    table.shared.withLock { $0[name] }
  }

  /// Sets a global.
  public func share(_ value: SharedValue, as name: String) async throws(LogError) {
    table.shared.withLock { shared in
      shared[name] = value
      table.feed?.append(
        .global(name: name), of: nil, at: Cursor(epoch: value.epoch, version: value.version), .now)
    }
    table.feed?.publish()
  }
}
