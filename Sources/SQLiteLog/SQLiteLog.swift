public import ReactorHost

/// A log that outlives its process: an SQLite database, written by one process at a time.
///
/// What a completion reports as written is on the disk. Writers that come at the same time share one
/// sync of the disk; readers go on beside them, in this process and in others.
public final class SQLiteLog: MutationLog {
  let committer: GroupCommitter?
  private let readers: ReaderPool

  /// Opens a store, or makes it, with its folder.
  ///
  /// It blocks, and takes the store for this process until ``close()``, or until nobody holds the
  /// log and everything is written.
  ///
  /// - Parameters:
  ///   - path: The database file. Beside it are files of the same name with `-wal`, `-shm` and
  ///     `.lock` behind it; the first two belong to the data.
  ///   - retention: What is removed from the beginnings of the sessions' logs.
  ///   - outcomesKept: How long the answers of idempotency keys are kept. There are never more than
  ///     1,000,000 of them: then the oldest ones go first.
  ///   - logger: Told where the store fails and when it works again.
  /// - Throws: Where the store cannot be used; it was not changed then.
  public init(
    path: String, retention: RetentionRules = RetentionRules(),
    outcomesKept: Duration = .seconds(86_400), logger: Logger = .silent
  ) throws(SQLiteLogError) {
    try StoreFolder.make(for: path)
    let lock = try StoreLock(of: path)
    let file = StoreFile(path: path)
    try file.prepare()
    committer = try GroupCommitter(
      file, lock: lock, rules: StoreRules(retention: retention, outcomesKept: outcomesKept),
      logger: logger)
    readers = ReaderPool(file)
  }

  /// Opens a store for reading only, which may be beside the process that writes to it.
  ///
  /// What writes fails with ``LogError/unavailable(_:)``.
  ///
  /// - Parameter path: The database file.
  /// - Throws: Where the store cannot be read.
  public init(reading path: String) throws(SQLiteLogError) {
    let file = StoreFile(path: path)
    _ = try file.open(for: .reading)
    committer = nil
    readers = ReaderPool(file)
  }

  deinit { committer?.close() }

  /// Ends the log: waits until everything that was given to it is on the disk, with what completions
  /// have given in turn, and gives the store back.
  ///
  /// What comes afterwards fails with ``LogError/unavailable(_:)``. Not to be called from a
  /// completion of the log. Calling it twice does no harm.
  ///
  /// - Parameter time: How long to wait at most.
  /// - Returns: Whether everything is on the disk.
  @discardableResult
  public func close(within time: Duration = .seconds(60)) -> Bool {
    let deadline = ContinuousClock.now + time
    committer?.waitUntilIdle(within: time)
    readers.close()
    committer?.close()
    return committer?.waitUntilEnded(within: deadline - .now) ?? true
  }

  /// The part of the log that belongs to one session.
  public func session(_ key: SessionKey) -> any SessionLog {
    SQLiteSessionLog(key, committer: committer, readers: readers)
  }

  /// Stores a session whose history is another one's up to a version.
  ///
  /// A long history is copied a part at a time, beside what else is written, and the session is there
  /// when all of it is.
  public func fork(
    _ source: SessionKey, at version: Int, to target: SessionKey, epoch: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let request = WriteRequest(
      .fork(source, version: version, to: target, epoch: epoch), completion: completion)
    guard let committer else { return request.refuseWriting() }
    committer.write(request)
  }

  /// The stored sessions of a reactor that have not ended.
  public func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.sessions(of: reactor, after: id, limit: limit)
    }
  }

  /// A value that all sessions share, as it was set last.
  public func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    try readers.read { (reader) throws(DatabaseError) in try reader.sharedValue(name) }
  }

  /// Sets a value that all sessions share.
  public func share(
    _ value: SharedValue, as name: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let request = WriteRequest(.share(value, name: name), completion: completion)
    guard let committer else { return request.refuseWriting() }
    committer.write(request)
  }

  /// Lets retention remove what a snapshot of a schema stands in for, in sessions of a reactor.
  public func willFold(_ reactor: String, schema: String) {
    committer?.read(schema, of: reactor)
  }

  /// The sessions with accepted actions that were not finished.
  public func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.unfinishedSessions(after: key, limit: limit)
    }
  }
}
