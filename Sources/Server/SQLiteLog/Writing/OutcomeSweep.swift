internal import ReactorLog

/// Inserts the outcomes of idempotency keys, and deletes them after their retention, a few with each group.
///
/// Beyond the bound, the oldest outcomes of the principals with at least an average number of them are deleted, and
/// of the sessions whose clients have no principal: the keys of one client do not displace those of others.
struct OutcomeSweep {
  private static let interval = Duration.seconds(60)
  private static let rowsPerStep = 500
  private static let rowsPerPage = 50

  private let retention: Duration
  private let bound: Int
  private let insert: Statement
  private let replace: Statement
  private let listAll: Statement
  private let deleteExpired: Statement
  private let listByAge: Statement
  private let delete: Statement
  /// The numbers of outcomes up to ``counted``.
  private var counts = OutcomeCounts()
  /// The outcome by history and key up to which they are counted, or `nil` if all are.
  private var counted: (history: Int64, key: String)? = (.min, "")
  /// The outcome by age up to which the search for surplus ones has come.
  private var searched: (at: Int64, history: Int64, key: String) = (.min, .min, "")
  // On the monotonic clock, because the wall clock can be set.
  private var due = ContinuousClock.now

  init(_ connection: SQLiteConnection, _ rules: StoreRules) throws(DatabaseError) {
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
    listAll = try connection.prepare(
      """
      SELECT session, key FROM outcomes WHERE (session, key) > (?1, ?2)
      ORDER BY session, key LIMIT \(Self.rowsPerStep)
      """)
    deleteExpired = try connection.prepare(
      """
      DELETE FROM outcomes WHERE (session, key) IN (
        SELECT session, key FROM outcomes WHERE at <= ?1 ORDER BY at LIMIT \(Self.rowsPerStep))
      RETURNING session, key
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
    guard insert.changeCount == 0 else { return didChange(outcome.key.name, of: history, by: 1) }
    try replace.execute(
      history, outcome.key.name, outcome.key.body, outcome.at, outcome.version,
      outcome.failure?.json)
  }

  /// Records that outcomes with a key were inserted, or deleted with a negative difference.
  mutating func didChange(_ key: String, of history: Int64, by difference: Int) {
    if let counted {
      // By bytes, as SQLite compares.
      guard
        history != counted.history
          ? history < counted.history
          : !counted.key.utf8.lexicographicallyPrecedes(key.utf8)
      else { return }
    }
    counts.adjust(.init(key, of: history), by: difference)
    if counts.total > bound { due = .now }
  }

  /// Deletes some of the expired or surplus outcomes, within a transaction.
  mutating func deleteSome(now: Timestamp) throws(DatabaseError) {
    guard isDue else { return }
    try deleteExpired.bind(now.milliseconds - retention.retainedMilliseconds)
    var hasExpired = false
    while let (history, key) = try deleteExpired.next(as: (Int64, String).self) {
      didChange(key, of: history, by: -1)
      hasExpired = true
    }
    guard !hasExpired, try countSome(), try deleteSurplus() else { return }
    due = .now + min(Self.interval, retention)
  }

  /// Counts outcomes for one slice; returns whether all are counted.
  private mutating func countSome() throws(DatabaseError) -> Bool {
    var slice = WorkSlice()
    while let position = counted {
      var last: (Int64, String)?
      try listAll.bind(position.history, position.key)
      while let (history, key) = try listAll.next(as: (Int64, String).self) {
        counts.adjust(.init(key, of: history), by: 1)
        last = (history, key)
      }
      counted = last
      guard !slice.isOver() else { break }
    }
    return counted == nil
  }

  /// Deletes surplus outcomes for one slice: by age, and those of owners with a large share only.
  ///
  /// - Returns: Whether there are no more than the bound.
  private mutating func deleteSurplus() throws(DatabaseError) -> Bool {
    var slice = WorkSlice()
    while counts.total > bound {
      var page: [(Int64, Int64, String)] = []
      try listByAge.bind(searched.at, searched.history, searched.key)
      while let row = try listByAge.next(as: (Int64, Int64, String).self) { page.append(row) }
      for row in page where counts.total > bound {
        searched = row
        let owner = OutcomeCounts.Owner(row.2, of: row.1)
        guard counts.hasLargeShare(owner) else { continue }
        try delete.execute(row.1, row.2)
        let deleted = delete.changeCount
        counts.adjust(owner, by: -deleted)
      }
      if page.isEmpty { searched = (.min, .min, "") }
      guard !slice.isOver() else { return false }
    }
    return true
  }

  /// Records that the transaction was committed.
  mutating func didCommit() { counts.didCommit() }

  /// Records that the transaction was rolled back.
  mutating func didRollBack() {
    if counted == nil {
      counts.didRollBack()
    } else {
      // An outcome that was counted may have been inserted by the transaction.
      (counts, counted) = (OutcomeCounts(), (.min, ""))
    }
    due = .now
  }
}
