internal import ReactorLog

/// Inserts the outcomes of idempotency keys, and deletes them after their retention, a few with each group.
///
/// Beyond the bound, the oldest outcomes of the sessions with at least an average number of them are deleted:
/// the keys of one client do not displace those of others.
struct OutcomeSweep {
  private static let interval = Duration.seconds(60)
  private static let rowsPerStep = 500
  private static let rowsPerPage = 50

  private let retention: Duration
  private let bound: Int
  private let insert: Statement
  private let replace: Statement
  private let countAll: Statement
  private let deleteExpired: Statement
  private let listByAge: Statement
  private let delete: Statement
  /// The numbers of outcomes, or `nil` before they are counted.
  private var counts: OutcomeCounts?
  /// The outcome by age up to which the search for surplus ones has come.
  private var searched: (at: Int64, history: Int64, key: String) = (.min, .min, "")
  // On the monotonic clock, because the wall clock can be set.
  private var due = ContinuousClock.now

  init(_ connection: Connection, _ rules: StoreRules) throws(DatabaseError) {
    retention = rules.outcomeRetention
    bound = rules.outcomeBound
    insert = try connection.prepare(
      """
      INSERT OR IGNORE INTO outcomes (session, key, body, at, version, failure)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    replace = try connection.prepare(
      """
      UPDATE outcomes SET body = ?3, at = ?4, version = ?5, failure = ?6
      WHERE session = ?1 AND key = ?2
      """)
    countAll = try connection.prepare(
      "SELECT session, count(*) FROM outcomes INDEXED BY outcomes_by_age GROUP BY session")
    deleteExpired = try connection.prepare(
      """
      DELETE FROM outcomes WHERE (session, key) IN (
        SELECT session, key FROM outcomes WHERE at <= ?1 ORDER BY at LIMIT \(Self.rowsPerStep))
      RETURNING session
      """)
    listByAge = try connection.prepare(
      """
      SELECT at, session, key FROM outcomes WHERE at >= ?1 AND (at, session, key) > (?1, ?2, ?3)
      ORDER BY at, session, key LIMIT \(Self.rowsPerPage)
      """)
    delete = try connection.prepare("DELETE FROM outcomes WHERE session = ?1 AND key = ?2")
  }

  /// Whether there may be outcomes to delete.
  var isDue: Bool { ContinuousClock.now >= due }

  /// Inserts the outcome of a request of a history, or replaces that of an expired key.
  mutating func put(_ outcome: StoredOutcome, of history: Int64) throws(DatabaseError) {
    try insert.execute(
      history, outcome.key.name, outcome.key.body, outcome.at, outcome.version,
      outcome.failure?.json)
    guard insert.changeCount == 0 else { return didChange(history, by: 1) }
    try replace.execute(
      history, outcome.key.name, outcome.key.body, outcome.at, outcome.version,
      outcome.failure?.json)
  }

  /// Records that outcomes of a history were inserted, or deleted with a negative difference.
  mutating func didChange(_ history: Int64, by difference: Int) {
    counts?.adjust(history, by: difference)
    if let counts, counts.total > bound { due = .now }
  }

  /// Deletes some of the expired or surplus outcomes, within a transaction.
  mutating func deleteSome(now: Timestamp) throws(DatabaseError) {
    guard isDue else { return }
    if counts == nil { try count() }
    try deleteExpired.bind(now.milliseconds - retention.retainedMilliseconds)
    var hasExpired = false
    while let history = try deleteExpired.next(as: Int64.self) {
      counts?.adjust(history, by: -1)
      hasExpired = true
    }
    guard !hasExpired, try deleteSurplus() else { return }
    due = .now + min(Self.interval, retention)
  }

  private mutating func count() throws(DatabaseError) {
    var counts = OutcomeCounts()
    defer { countAll.reset() }
    while let (history, count) = try countAll.next(as: (Int64, Int).self) {
      counts.adjust(history, by: count)
    }
    counts.didCommit()
    self.counts = counts
  }

  /// Deletes surplus outcomes for one slice: by age, and those of histories with a large share only.
  ///
  /// - Returns: Whether there are no more than the bound.
  private mutating func deleteSurplus() throws(DatabaseError) -> Bool {
    var slice = WorkSlice()
    while let total = counts?.total, total > bound {
      var page: [(Int64, Int64, String)] = []
      try listByAge.bind(searched.at, searched.history, searched.key)
      while let row = try listByAge.next(as: (Int64, Int64, String).self) { page.append(row) }
      for row in page where (counts?.total ?? 0) > bound {
        searched = row
        guard counts?.hasLargeShare(row.1) == true else { continue }
        try delete.execute(row.1, row.2)
        let deleted = delete.changeCount
        counts?.adjust(row.1, by: -deleted)
      }
      if page.isEmpty { searched = (.min, .min, "") }
      guard !slice.isOver() else { return false }
    }
    return true
  }

  /// Records that the transaction was committed.
  mutating func didCommit() { counts?.didCommit() }

  /// Records that the transaction was rolled back.
  mutating func didRollBack() {
    counts?.didRollBack()
    due = .now
  }
}
