package import ReactorLog
internal import Shares
package import Telemetry

/// A durable log: an SQLite database with a single writing process.
///
/// A write is on the disk when it is complete. Concurrent writes share one sync of the disk, and do not block
/// readers in this process or in others.
package final class SQLiteLog: MutationLog {
  let committer: GroupCommitter?
  let readers: ReaderPool

  /// The changes of all sessions in the order of commits, or `nil` if they are not retained.
  package let changes: (any ChangeFeed)?

  /// Opens a store for reading and writing; a missing one is created with its folder.
  ///
  /// The call blocks. The store is locked until ``close(within:)``, or until the log is released and
  /// everything is written.
  ///
  /// - Parameters:
  ///   - path: The database file. SQLite adds files with the suffixes `-wal` and `-shm`, which belong
  ///     to the data.
  ///   - retention: How much of the sessions' logs is retained.
  ///   - outcomeRetention: How long the outcomes of idempotency keys are retained. Beyond 1,000,000 of them
  ///     the oldest are deleted earlier.
  ///   - changeRetention: How long the changes of all sessions are retained; zero for not at all.
  ///   - logger: Logs when writes begin to fail, and when they succeed again.
  /// - Throws: If the store cannot be used; it is unchanged then.
  package init(
    path: String, retention: RetentionRules = RetentionRules(),
    outcomeRetention: Duration = IdempotencyKey.retention, changeRetention: Duration = .zero,
    logger: Logger = .silent
  ) throws(SQLiteLogError) {
    try StoreFolder.create(for: path)
    let lock = try StoreLock(of: path)
    let file = StoreFile(path: path, locked: lock)
    try file.prepare(logger: logger)
    let feed = try file.prepareFeed(isKept: changeRetention > .zero, logger: logger)
    let publisher = feed.map { ChangePublisher(latest: $0.latest) }
    committer = try GroupCommitter(
      file, lock: lock,
      rules: StoreRules(
        retention: retention, outcomeRetention: outcomeRetention, changeRetention: changeRetention),
      publisher: publisher, logger: logger)
    readers = ReaderPool(file, lock: lock)
    if let feed, let publisher {
      changes = StoredFeed(named: feed.name, publisher, .init(readers, logger: logger))
    } else {
      changes = nil
    }
  }

  /// Opens a store for reading, also while another process writes to it.
  ///
  /// Writes fail with `LogError.unavailable`.
  ///
  /// - Parameter path: The database file.
  /// - Throws: If the store cannot be read.
  package init(reading path: String) throws(SQLiteLogError) {
    let file = StoreFile(path: path)
    _ = try file.open(for: .reading)
    committer = nil
    readers = ReaderPool(file)
    changes = nil
  }

  deinit {
    // Reads of a log that is open for reading only need no lock.
    guard let committer else { return }
    readers.close(within: .zero)
    committer.close()
  }

  /// Closes the log: blocks until all writes are on the disk, including writes of completions, and
  /// unlocks the store.
  ///
  /// Later reads and writes fail with `LogError.unavailable`. A read that takes longer than `time`
  /// keeps the store locked until it has ended. Must not be called from a completion of a write.
  /// Further calls have no effect.
  ///
  /// - Parameter time: The maximum time to wait.
  /// - Returns: Whether everything is on the disk.
  @discardableResult
  package func close(within time: Duration = .seconds(60)) -> Bool {
    let deadline = ContinuousClock.now + time
    committer?.waitUntilIdle(within: time)
    readers.close(within: deadline - .now)
    committer?.close()
    return committer?.waitUntilEnded(within: deadline - .now) ?? true
  }

  /// Calls a function once the threads that commit and that complete commits have responded.
  ///
  /// A log that is closed or open for reading only calls nothing.
  package func callOnThreads(_ function: @escaping @Sendable () -> Void) {
    committer?.callOnThreads(function)
  }

  /// The reason why writes fail, such as a deleted or replaced file of the store, or `nil` if they
  /// succeed.
  package var failure: LogError? { committer?.failure }

  /// `true`: reading calls block on the disk.
  package var readsFromDisk: Bool { true }

  /// The log of a session.
  package func session(_ key: SessionKey) -> any SessionLog {
    SQLiteSessionLog(key, committer: committer, readers: readers)
  }

  /// Creates a session with a copy of another session's history up to a version.
  ///
  /// A long history is copied in parts, between other writes; the session exists once the copy is
  /// complete. At most 64 copies can be unfinished at the same time; further ones fail with
  /// `LogError.unavailable`. A copy fails with `LogError.full` if the free space is less than a
  /// tenth of the file system and less than 1 GiB.
  package func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError) {
    try await committer.execute(
      .fork(source, at: cursor, to: target, epoch: epoch, parameters: parameters))
  }

  /// Lists the stored sessions of a reactor that have not ended.
  package func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.sessions(of: reactor, after: id, limit: limit)
    }
  }

  /// Reads the timers that are due.
  package func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.dueTimers(after: position, until: time, limit: limit)
    }
  }

  /// Counts the timers.
  package func timerCount() throws(LogError) -> Int {
    try readers.read { (reader) throws(DatabaseError) in try reader.timerCount() }
  }

  /// Reads values that a release must be able to decode.
  package func samples(
    after position: SamplePosition, within time: Duration
  ) throws(LogError) -> SamplePage {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.samples(after: position, within: time)
    }
  }

  /// Lists the stored failures of a reactor; damaged ones are skipped.
  package func failures(
    of reactor: String
  ) throws(LogError) -> [StoredFailure] {
    try readers.read { (reader) throws(DatabaseError) in try reader.failures(of: reactor) }
  }

  /// Reads the current value of a global.
  package func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    try readers.read { (reader) throws(DatabaseError) in try reader.sharedValue(name) }
  }

  /// Sets a global.
  package func share(_ value: SharedValue, as name: String) async throws(LogError) {
    // The values of a global are written in their order, and before those of sessions that follow it.
    try await committer.execute(.share(value, name: name), of: 2)
  }

  /// Permits retention to replace entries of a reactor's sessions by snapshots of a schema.
  package func willFold(_ reactor: String, schema: String) {
    committer?.setSchema(schema, of: reactor)
  }

  /// Lists the sessions with accepted actions that have not finished.
  package func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.unfinishedSessions(after: key, limit: limit)
    }
  }
}
