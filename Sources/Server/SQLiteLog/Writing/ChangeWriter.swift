internal import ReactorLog

/// Writes the changes of the feed within the transactions of the operations, and deletes them after
/// their retention.
///
/// The numbers of changes are consecutive. The last change is always retained, so that no number is
/// assigned twice.
struct ChangeWriter {
  private static let interval = Duration.seconds(60)
  private static let rowsPerStep = 2_000

  private let retention: Duration
  private let insert: Statement
  private let deleteExpired: Statement
  /// The number of the last change of the transaction.
  private var number: Int
  /// The number of the last committed change.
  private(set) var latest: Int
  // On the monotonic clock, because the wall clock can be set.
  private var due = ContinuousClock.now

  /// Prepares the statements, or returns `nil` if changes are not retained.
  init?(_ connection: SQLiteConnection, _ rules: StoreRules) throws(DatabaseError) {
    guard rules.changeRetention > .zero else { return nil }
    retention = rules.changeRetention
    latest = Int(try connection.integer("SELECT coalesce(max(number), 0) FROM changes"))
    guard StoredValues.areCounts(latest) else { throw .damaged("change \(latest)") }
    number = latest
    insert = try connection.prepare(
      """
      INSERT INTO changes
        (number, kind, reactor, session, epoch, version, first, origin, at, principal)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    // Deletes the rows before the first one that must be retained, so that the rest has no gap.
    // Only examines the oldest rows, so that a step that deletes nothing reads few rows.
    let end = "(SELECT min(number) FROM changes) + \(Self.rowsPerStep)"
    deleteExpired = try connection.prepare(
      """
      DELETE FROM changes WHERE number < min(?2, \(end), coalesce((
        SELECT number FROM changes WHERE number < \(end) AND at > ?1 ORDER BY number LIMIT 1), ?2))
      """)
  }

  mutating func write(
    _ kind: StoreChange.Kind, of key: SessionKey?, epoch: String, version: Int, at time: Timestamp,
    by principal: String? = nil
  ) throws(DatabaseError) {
    number += 1
    let stored = StoredChange(kind)
    try insert.execute(
      number, stored.kind, key?.reactor, key?.id ?? stored.name, epoch, version, stored.first,
      stored.origin, time, principal)
  }

  /// Whether there may be changes to delete.
  var isDue: Bool { ContinuousClock.now >= due }

  /// Deletes some of the expired changes, within a transaction.
  mutating func deleteSome(now: Timestamp) throws(DatabaseError) {
    guard isDue else { return }
    try deleteExpired.execute(now.milliseconds - retention.retainedMilliseconds, number)
    if deleteExpired.changeCount == 0 { due = .now + min(Self.interval, retention) }
  }

  /// Confirms the numbers of a committed transaction.
  mutating func didCommit() { latest = number }

  /// Reuses the numbers of a transaction that was rolled back.
  mutating func didRollBack() {
    number = latest
    due = .now
  }
}
