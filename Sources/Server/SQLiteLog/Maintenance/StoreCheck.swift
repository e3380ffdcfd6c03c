internal import ReactorLog

/// Looks for damage in a store.
struct StoreCheck {
  private let connection: SQLiteConnection
  private var findings: [String] = []

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  /// Checks everything.
  ///
  /// - Returns: The findings, one line each.
  consuming func check() throws(DatabaseError) -> [String] {
    try checkDatabase()
    try checkEntries()
    try checkBeginnings()
    try checkSnapshots()
    try checkOwners()
    try checkValues()
    return findings
  }

  /// Runs SQLite's own check of pages, rows and indexes.
  private mutating func checkDatabase() throws(DatabaseError) {
    let statement = try connection.prepare("PRAGMA integrity_check(100)")
    while let text = try statement.next(as: String.self) {
      if text != "ok" { findings.append("database: \(text)") }
    }
  }

  /// Checks that each log has all versions from its first to its last, and that the checksums
  /// match.
  private mutating func checkEntries() throws(DatabaseError) {
    let statement = try connection.prepare(
      """
      SELECT reactor || '/' || sessions.session, \(StoredEntry.columns(anchoredAt: "(mutations.version - 1)"))
      FROM sessions CROSS JOIN mutations ON mutations.session = id ORDER BY id, version
      """)
    var session = ""
    var verifier = ChainVerifier()
    while let row = try statement.next(
      as: (
        String, Int, Timestamp, [UInt8]?, String?, UInt64?, [UInt8], String?, UInt64?, String,
        UInt64?
      ).self)
    {
      if row.0 != session {
        session = row.0
        verifier = ChainVerifier()
      }
      let entry = StoredEntry(
        row: (row.1, row.2, row.3, row.4, row.5, row.6, row.7, row.8, row.9, row.10))
      if let finding = verifier.verify(entry) { findings.append("\(session): \(finding)") }
    }
  }

  /// Checks that each log begins with version 1, or has a snapshot that replaces the missing
  /// entries.
  private mutating func checkBeginnings() throws(DatabaseError) {
    let statement = try connection.prepare(
      """
      SELECT name, first FROM (
        SELECT id, reactor || '/' || sessions.session AS name, min(version) AS first,
          max(version) AS last
        FROM sessions JOIN mutations ON mutations.session = id GROUP BY id)
      WHERE first < 1 OR (first > 1 AND NOT EXISTS (
        SELECT 1 FROM snapshots WHERE session = id AND version BETWEEN first - 1 AND last))
      """)
    while let (session, first) = try statement.next(as: (String, Int).self) {
      findings.append("\(session): the log begins with version \(first), without a snapshot")
    }
  }

  private mutating func checkSnapshots() throws(DatabaseError) {
    let statement = try connection.prepare(
      """
      SELECT reactor || '/' || sessions.session, snapshots.version, state, schema, chain,
        snapshots.checksum, mutations.checksum
      FROM sessions CROSS JOIN snapshots ON snapshots.session = id
        LEFT JOIN mutations ON mutations.session = id AND mutations.version = snapshots.version
      ORDER BY id, snapshots.version
      """)
    while let (session, version, state, schema, chain, checksum, entry) = try statement.next(
      as: (String, Int, [UInt8], String, UInt64?, UInt64?, UInt64?).self)
    {
      let snapshot = Snapshot(version: version, state: state, schema: schema)
      if let checksum, checksum != EntryChain.checksum(of: snapshot, at: chain ?? 0) {
        findings.append(
          "\(session): the snapshot of version \(version) does not match its checksum")
      } else if let chain, let entry, chain != entry {
        findings.append("\(session): the snapshot of version \(version) is of another log")
      }
    }
  }

  /// Checks the numbers and times that no checksum covers.
  private mutating func checkValues() throws(DatabaseError) {
    func areIn(_ range: ClosedRange<some BinaryInteger>, _ columns: String...) -> String {
      columns.map { "\($0) BETWEEN \(range.lowerBound) AND \(range.upperBound)" }
        .joined(separator: " AND ")
    }
    let (counts, times) = (StoredValues.counts, StoredValues.times)
    let period = "(period IS NULL OR \(areIn(StoredValues.periods, "period")))"
    let tables = [
      ("sessions", areIn(times, "created")),
      ("snapshots", areIn(counts, "version")),
      ("accepted", areIn(counts, "request", "place", "runs") + " AND " + areIn(times, "at")),
      ("outcomes", areIn(counts, "version") + " AND " + areIn(times, "at")),
      ("timers", areIn(times, "due") + " AND " + period),
      ("failures", areIn(times, "at")),
      ("shared", areIn(counts, "version")),
      ("changes", areIn(counts, "number", "version", "first") + " AND " + areIn(times, "at")),
    ]
    for (table, condition) in tables {
      let count = try connection.integer(
        "SELECT count(*) FROM \(table) WHERE (\(condition)) IS NOT 1")
      if count > 0 { findings.append("\(table): \(count) rows with an invalid value") }
    }
  }

  /// Checks that no row belongs to a history without a session.
  private mutating func checkOwners() throws(DatabaseError) {
    for table in ["accepted", "outcomes", "timers", "failures"] {
      let statement = try connection.prepare(
        """
        SELECT session, count(*) FROM \(table)
        WHERE session NOT IN (SELECT id FROM sessions UNION SELECT session FROM removals)
        GROUP BY session
        """)
      while let (history, count) = try statement.next(as: (Int64, Int).self) {
        findings.append("\(table): \(count) rows of the history \(history), which no session has")
      }
    }
  }
}
