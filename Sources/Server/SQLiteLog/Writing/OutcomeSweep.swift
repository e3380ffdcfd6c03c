internal import ReactorLog

/// Deletes the outcomes of idempotency keys after their retention, a few with each group.
struct OutcomeSweep {
  private static let interval = Duration.seconds(60)
  private static let rowsPerStep = 500

  private let retention: Duration
  private let bound: Int
  private let count: Statement
  private let deleteExpired: Statement
  private let deleteOldest: Statement
  /// An upper bound of the number of outcomes, or `nil` if it is unknown.
  private var known: Int?
  // On the monotonic clock, because the wall clock can be set.
  private var due = ContinuousClock.now

  init(_ connection: Connection, _ rules: StoreRules) throws(DatabaseError) {
    retention = rules.outcomeRetention
    bound = rules.outcomeBound
    count = try connection.prepare("SELECT count(*) FROM outcomes")
    deleteExpired = try connection.prepare(
      """
      DELETE FROM outcomes WHERE (session, key) IN (
        SELECT session, key FROM outcomes WHERE at <= ?1 ORDER BY at LIMIT \(Self.rowsPerStep))
      """)
    deleteOldest = try connection.prepare(
      """
      DELETE FROM outcomes WHERE (session, key) IN (
        SELECT session, key FROM outcomes ORDER BY at LIMIT ?1)
      """)
  }

  /// Whether there may be outcomes to delete.
  var isDue: Bool { ContinuousClock.now >= due }

  /// Records that an outcome was inserted or replaced.
  mutating func didInsert() {
    known = known.map { $0 + 1 }
    if let known, known > bound { due = .now }
  }

  /// Deletes some of the expired or surplus outcomes, within a transaction.
  mutating func deleteSome(now: Timestamp) throws(DatabaseError) {
    guard isDue else { return }
    try deleteExpired.execute(now.milliseconds - retention.retainedMilliseconds)
    guard deleteExpired.changeCount == 0 else {
      known = nil
      return
    }
    guard try deleteSurplus() else { return }
    due = .now + min(Self.interval, retention)
  }

  /// Deletes some of the oldest outcomes if there are more than the limit.
  ///
  /// - Returns: Whether there are no more than the limit.
  private mutating func deleteSurplus() throws(DatabaseError) -> Bool {
    if known.map({ $0 > bound }) ?? true { known = try count.first(as: Int.self) }
    guard let known, known > bound else { return true }
    try deleteOldest.execute(min(known - bound, Self.rowsPerStep))
    self.known = nil
    return false
  }

  /// Records that the transaction was rolled back.
  mutating func didRollBack() {
    known = nil
    due = .now
  }
}
