/// The changes of an earlier process that has retained them: deleted a few with each group if they are
/// no longer retained.
struct FormerChanges {
  private static let rowsPerStep = 2_000

  private let deleteOldest: Statement

  /// Whether there may be changes to delete.
  private(set) var isDue = true

  /// Prepares the statement, or returns `nil` if there are no changes, or if they are retained.
  init?(_ connection: SQLiteConnection) throws(DatabaseError) {
    // The name of the feed exists as long as its changes are retained.
    let areLeft = try connection.integer(
      "SELECT EXISTS (SELECT 1 FROM changes) AND NOT EXISTS (SELECT 1 FROM feed)")
    guard areLeft != 0 else { return nil }
    deleteOldest = try connection.prepare(
      """
      DELETE FROM changes WHERE number < (SELECT min(number) FROM changes) + \(Self.rowsPerStep)
      """)
  }

  /// Deletes some changes, within a transaction.
  mutating func deleteSome() throws(DatabaseError) {
    guard isDue else { return }
    try deleteOldest.execute()
    isDue = deleteOldest.changeCount > 0
  }

  /// Records that the transaction was rolled back.
  mutating func didRollBack() { isDue = true }
}
