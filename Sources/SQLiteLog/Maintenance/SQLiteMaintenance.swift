internal import Glibc
public import ReactorHost

/// What is done with a store by hand.
///
/// All of it blocks. What only reads may run beside the daemon that uses the store.
public struct SQLiteMaintenance: Sendable {
  let file: StoreFile

  /// Names a store; nothing is opened yet.
  public init(path: String) {
    file = StoreFile(path: path)
  }

  /// Looks for damage: in the database as SQLite sees it, and for gaps in the logs.
  ///
  /// Runs beside a daemon.
  ///
  /// - Returns: What is wrong, each in one line; nothing where all is well.
  /// - Throws: Where the store cannot be read at all.
  public func check() throws(SQLiteLogError) -> [String] {
    let connection = try file.open(for: .reading)
    return try failing {
      () throws(DatabaseError) in
      var findings: [String] = []
      let integrity = try connection.prepare("PRAGMA integrity_check(100)")
      while try integrity.step() {
        let text = integrity.text(0)
        if text != "ok" { findings.append("database: \(text)") }
      }
      // What retention has removed must end in a snapshot.
      let gaps = try connection.prepare(
        """
        SELECT name, first, last, entries FROM (
          SELECT id, reactor || '/' || sessions.session AS name, min(version) AS first,
            max(version) AS last, count(*) AS entries
          FROM sessions JOIN mutations ON mutations.session = id GROUP BY id)
        WHERE last - first + 1 <> entries OR first < 1 OR (first > 1 AND NOT EXISTS (
          SELECT 1 FROM snapshots WHERE session = id AND version BETWEEN first - 1 AND last))
        """)
      while try gaps.step() {
        findings.append(
          "\(gaps.text(0)): \(gaps.number(3)) entries from version \(gaps.number(1)) to "
            + "\(gaps.number(2)), and no snapshot for what is missing")
      }
      let strays = try connection.prepare(
        """
        SELECT 'accepted' AS part, session, count(*) FROM accepted
          WHERE session NOT IN (SELECT id FROM sessions UNION SELECT session FROM removals)
          GROUP BY session
        UNION ALL SELECT 'outcomes', session, count(*) FROM outcomes
          WHERE session NOT IN (SELECT id FROM sessions UNION SELECT session FROM removals)
          GROUP BY session
        """)
      while try strays.step() {
        findings.append(
          "\(strays.text(0)): \(strays.number(2)) rows of the history \(strays.number(1)), which "
            + "no session has")
      }
      return findings
    }
  }

  /// Copies the store, as it is at one moment, to a new file.
  ///
  /// Runs beside a daemon. The copy is a store of its own.
  ///
  /// - Parameter path: The new file, which must not be there.
  /// - Throws: Where the store cannot be read or the copy not written.
  public func backUp(to path: String) throws(SQLiteLogError) {
    guard unsafe access(path, F_OK) != 0 else {
      throw SQLiteLogError(.cannotCreate, "the copy \"\(path)\" is there already")
    }
    let connection = try file.open(for: .reading)
    try failing { () throws(DatabaseError) in try connection.copy(to: path) }
  }

  /// Removes what retention does not keep, and gives the room back to the disk.
  ///
  /// - Parameters:
  ///   - retention: What is kept of the sessions' logs.
  ///   - outcomesKept: How long the answers of idempotency keys are kept.
  /// - Throws: Where a daemon uses the store, or it cannot be written.
  public func compact(
    to retention: RetentionRules, outcomesKept: Duration = .seconds(86_400)
  ) throws(SQLiteLogError) {
    try exclusively { (connection) throws(DatabaseError) in
      var writer = try LogWriter(
        connection, StoreRules(retention: retention, outcomesKept: outcomesKept),
        afterFailure: false)
      repeat { _ = try writer.write([]) } while !writer.isAtRest
      try connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  /// Works with a store that nobody else uses meanwhile.
  func exclusively(
    _ body: (Connection) throws(DatabaseError) -> Void
  ) throws(SQLiteLogError) {
    try StoreFolder.make(for: file.path)
    let lock = try StoreLock(of: file.path)
    defer { withExtendedLifetime(lock) {} }
    try file.prepare()
    let connection = try file.open(for: .writing)
    try failing { () throws(DatabaseError) in try body(connection) }
  }

  func failing<Value>(
    _ body: () throws(DatabaseError) -> Value
  ) throws(SQLiteLogError) -> Value {
    do throws(DatabaseError) {
      return try body()
    } catch {
      throw SQLiteLogError(
        error.logError == .full ? .cannotCreate : .unreadable,
        "the store \"\(file.path)\" failed: \(error)")
    }
  }
}
