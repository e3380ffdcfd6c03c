internal import Glibc
package import ReactorLog

/// Maintenance of a store on demand.
///
/// All calls block. Those that only read can run while a daemon uses the store.
package struct SQLiteMaintenance: Sendable {
  /// The database file.
  package let path: String

  /// Creates the maintenance of a store, without opening the store.
  package init(path: String) {
    self.path = path
  }

  /// Verifies the database with SQLite's own check, and the checksums of all logs and snapshots.
  ///
  /// Can run while a daemon uses the store.
  ///
  /// - Returns: The findings, one line each; empty for an undamaged store.
  /// - Throws: If the store cannot be read at all.
  package func check() throws(SQLiteLogError) -> [String] {
    let store = try ReadableStore(path)
    defer { withExtendedLifetime(store) {} }
    let connection = try StoreFile(path: store.path).open(for: .reading)
    return try mappingErrors { () throws(DatabaseError) in
      try connection.execute("BEGIN")
      return try StoreCheck(connection).check()
    }
  }

  /// Counts the sessions of each reactor, in the order of the names.
  ///
  /// Can run while a daemon uses the store.
  ///
  /// - Throws: If the store cannot be read.
  package func countSessions() throws(SQLiteLogError) -> [(reactor: String, count: Int)] {
    let connection = try StoreFile(path: path).open(for: .reading)
    return try mappingErrors { () throws(DatabaseError) in
      let statement = try connection.prepare(
        "SELECT reactor, count(*) FROM sessions WHERE ended = 0 GROUP BY reactor ORDER BY reactor")
      var counts: [(reactor: String, count: Int)] = []
      while let (reactor, count) = try statement.next(as: (String, Int).self) {
        counts.append((reactor, count))
      }
      return counts
    }
  }

  /// Returns whether entries of a session have no checksum, so that ``check()`` does not find a change of
  /// them: former releases wrote none.
  ///
  /// - Throws: If the store cannot be read.
  package func lacksChecksums(_ session: SessionKey) throws(SQLiteLogError) -> Bool {
    let connection = try StoreFile(path: path).open(for: .reading)
    return try mappingErrors { () throws(DatabaseError) in
      let statement = try connection.prepare(
        """
        SELECT count(*) FROM sessions JOIN mutations ON mutations.session = id
        WHERE reactor = ? AND sessions.session = ? AND checksum IS NULL
        """)
      try session.reactor.bind(to: statement, at: 1)
      try session.id.bind(to: statement, at: 2)
      return try statement.next(as: Int.self) ?? 0 > 0
    }
  }

  /// Copies one state of the store to a new file, with mode 0600.
  ///
  /// Can run while a daemon uses the store. The copy is an independent store, with the tables of the
  /// release that has written the original. It gets its name when it
  /// is complete, and has the suffix `.partial` before.
  ///
  /// - Parameter copy: The new file, which must not exist.
  /// - Throws: If the store cannot be read or the copy cannot be written; there is no new file then.
  package func backUp(to copy: String) throws(SQLiteLogError) {
    let (connection, version) = try StoreFile(path: path).openEarlier()
    guard unsafe access(copy, F_OK) != 0 else { throw cannotCreate(copy, EEXIST) }
    let partial = copy + ".partial"
    let descriptor = unsafe open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw cannotCreate(partial, errno) }
    close(descriptor)
    defer { unsafe unlink(partial) }
    try mappingErrors { () throws(DatabaseError) in try connection.copy(to: partial) }
    // A restored copy reuses the numbers of changes that the original commits after the backup.
    // Delete the name of the feed, so that the feed of the copy gets another name.
    if version >= Schema.feedVersion {
      let restored = try mappingErrors { () throws(DatabaseError) in
        try SQLiteConnection(partial, .writing, lockTimeout: StoreFile.lockTimeout)
      }
      try mappingErrors { () throws(DatabaseError) in try restored.execute("DELETE FROM feed") }
    }
    // A link does not replace a file. Not every file system has links.
    guard unsafe link(partial, copy) != 0 else { return }
    let code = errno
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(code), unsafe rename(partial, copy) == 0 else {
      throw cannotCreate(copy, code)
    }
  }

  private func cannotCreate(_ copy: String, _ code: Int32) -> SQLiteLogError {
    SQLiteLogError(
      .cannotCreate,
      code == EEXIST
        ? "the copy \"\(copy)\" exists already"
        : "cannot create the copy \"\(copy)\": \(SystemError(code: code))")
  }

  /// Deletes the entries that need not be retained, and returns the space to the file system.
  ///
  /// - Parameters:
  ///   - retention: How much of the sessions' logs is retained.
  ///   - schemas: The fingerprints that a snapshot must have to replace entries, by the names of the
  ///     reactors whose logs may be shortened.
  ///   - outcomeRetention: How long the outcomes of idempotency keys are retained.
  /// - Throws: If a daemon uses the store, or it cannot be written.
  package func compact(
    to retention: RetentionRules, schemas: [String: String],
    outcomeRetention: Duration = IdempotencyKey.retention
  ) throws(SQLiteLogError) {
    try exclusively { (file) throws(DatabaseError) in
      let writer = try LogWriter(
        file,
        StoreRules(
          retention: retention, schemas: ReadableSchemas(schemas),
          outcomeRetention: outcomeRetention),
        afterFailure: false)
      repeat {
        if let failure = writer.write([]).failure { throw failure }
      } while !writer.isIdle
      try file.connect(for: .writing).execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  /// Calls a body while this process has the store's lock.
  func exclusively(
    _ body: (StoreFile) throws(DatabaseError) -> Void
  ) throws(SQLiteLogError) {
    try StoreFolder.create(for: path)
    let lock = try StoreLock(of: path)
    defer { withExtendedLifetime(lock) {} }
    let file = StoreFile(path: path, locked: lock)
    try file.prepare()
    try mappingErrors { () throws(DatabaseError) in try body(file) }
  }

  private func mappingErrors<Value>(
    _ body: () throws(DatabaseError) -> Value
  ) throws(SQLiteLogError) -> Value {
    do throws(DatabaseError) {
      return try body()
    } catch {
      throw SQLiteLogError(
        error.logError == .full ? .cannotCreate : .unreadable,
        "the store \"\(path)\" failed: \(error)")
    }
  }
}
