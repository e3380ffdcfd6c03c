internal import ReactorLog

/// The rows to delete: a few with each group, so that no commit waits for a long history.
struct Removals {
  /// A step within a transaction, to be confirmed by ``didCommit(_:)``.
  enum Step {
    case none
    case deletedSome
    case trimmed(Int64, upTo: Int)
    case deletedHistories
  }

  private static let rowsPerStep = 500

  /// The last version whose entry is to be deleted, by the id of the history.
  private var trims: [Int64: Int] = [:]
  /// Whether the table `removals` may have rows.
  private var hasHistories = true

  private let insertHistory: Statement
  private let listHistories: Statement
  private let deleteHistory: Statement
  private let nextMutations: RowSlice
  private let nextSnapshots: RowSlice
  private let deleteMutations: Statement
  private let deleteSnapshots: Statement
  private let deleteGlobals: Statement
  private let deleteAccepted: Statement
  private let deleteOutcomes: Statement
  private let findOldSnapshot: Statement
  private let findSnapshotOfOldEntry: Statement

  init(_ connection: SQLiteConnection) throws(DatabaseError) {
    insertHistory = try connection.prepare("INSERT OR IGNORE INTO removals (session) VALUES (?1)")
    listHistories = try connection.prepare("SELECT session FROM removals ORDER BY session")
    deleteHistory = try connection.prepare("DELETE FROM removals WHERE session = ?1")
    nextMutations = try RowSlice("mutations", of: "action", "mutation", in: connection)
    nextSnapshots = try RowSlice("snapshots", of: "state", in: connection)
    deleteMutations = try connection.prepare(
      "DELETE FROM mutations WHERE session = ?1 AND version <= ?2")
    deleteSnapshots = try connection.prepare(
      "DELETE FROM snapshots WHERE session = ?1 AND version <= ?2")
    deleteGlobals = try connection.prepare("DELETE FROM globals WHERE session = ?1")
    deleteAccepted = try connection.prepare("DELETE FROM accepted WHERE session = ?1")
    deleteOutcomes = try connection.prepare(
      """
      DELETE FROM outcomes WHERE session = ?1 AND key IN (
        SELECT key FROM outcomes WHERE session = ?1 LIMIT \(Self.rowsPerStep))
      RETURNING key
      """)
    findOldSnapshot = try connection.prepare(
      """
      SELECT version FROM snapshots WHERE session = ?1 AND version <= ?2 AND schema = ?3
      ORDER BY version DESC LIMIT 1
      """)
    findSnapshotOfOldEntry = try connection.prepare(
      """
      SELECT version FROM snapshots
      WHERE session = ?1 AND version < ?2 AND schema = ?3 AND (
        SELECT at FROM mutations
        WHERE mutations.session = snapshots.session AND mutations.version = snapshots.version) < ?4
      ORDER BY version DESC LIMIT 1
      """)
  }

  /// Whether a trim of a history is planned.
  func areTrimming(_ id: Int64) -> Bool { trims[id] != nil }

  /// Whether there is nothing to delete.
  var isEmpty: Bool { trims.isEmpty && !hasHistories }

  /// Plans to delete a history that does not belong to a session any more, or not yet.
  mutating func add(history id: Int64) throws(DatabaseError) {
    try insertHistory.execute(id)
    hasHistories = true
  }

  /// Cancels the deletion of a history that belongs to a session now.
  func cancel(history id: Int64) throws(DatabaseError) {
    try deleteHistory.execute(id)
  }

  /// Plans to delete the entries of a history that a retained snapshot makes redundant.
  ///
  /// Only a snapshot with this schema can replace entries, because another one may not be
  /// decodable. The last entry is always retained.
  mutating func trim(
    _ id: Int64, at version: Int, to retention: Retention, schema: String, now: Timestamp
  ) throws(DatabaseError) {
    let snapshot: Int?
    switch retention {
    case .all: return
    case .versions(let count):
      guard version > count else { return }
      snapshot = try findOldSnapshot.first(id, version - max(count, 1), schema, as: Int.self)
    case .days(let count):
      snapshot = try findSnapshotOfOldEntry.first(
        id, version, schema, now.milliseconds - Int64(count) * 86_400_000, as: Int.self)
    }
    if let snapshot { trims[id] = snapshot }
  }

  // MARK: Step by step

  /// Deletes some rows of histories that are not being copied, within a transaction.
  mutating func deleteSome(
    upTo bytes: Int, except forks: Forks, _ outcomes: inout OutcomeSweep
  ) throws(DatabaseError) -> Step {
    if let (id, version) = trims.first(where: { !forks.concern($0.key) }) {
      let isDone = try deleteSome(of: id, upTo: version, bytes: bytes)
      return isDone ? .trimmed(id, upTo: version) : .deletedSome
    }
    guard hasHistories else { return .none }
    guard let id = try nextHistory(except: forks) else {
      return forks.isEmpty ? .deletedHistories : .none
    }
    if try deleteSome(of: id, upTo: .max, bytes: bytes), try deleteOutcomes(of: id, &outcomes) {
      for statement in [deleteGlobals, deleteAccepted, deleteHistory] { try statement.execute(id) }
    }
    return .deletedSome
  }

  private func nextHistory(except forks: Forks) throws(DatabaseError) -> Int64? {
    defer { listHistories.reset() }
    while let id = try listHistories.next(as: Int64.self) {
      if !forks.concern(id) { return id }
    }
    return nil
  }

  /// Deletes rows of a history.
  ///
  /// - Returns: Whether there were none left.
  private func deleteSome(
    of id: Int64, upTo version: Int, bytes: Int
  ) throws(DatabaseError) -> Bool {
    var bytes = bytes
    // The numbers of damaged rows can be negative.
    if let next = try nextMutations.next(
      of: id, after: .min, upTo: version, atMost: Self.rowsPerStep, &bytes)
    {
      try deleteMutations.execute(id, next.version)
      return false
    }
    guard
      let next = try nextSnapshots.next(
        of: id, after: .min, upTo: version == .max ? .max : version - 1, atMost: Self.rowsPerStep,
        &bytes)
    else { return true }
    try deleteSnapshots.execute(id, next.version)
    return false
  }

  private func deleteOutcomes(
    of id: Int64, _ outcomes: inout OutcomeSweep
  ) throws(DatabaseError) -> Bool {
    try deleteOutcomes.bind(id)
    var isEmpty = true
    while let key = try deleteOutcomes.next(as: String.self) {
      outcomes.didChange(key, of: id, by: -1)
      isEmpty = false
    }
    return isEmpty
  }

  /// Records that the transaction of a step was committed.
  mutating func didCommit(_ step: Step) {
    switch step {
    case .none, .deletedSome: break
    case .trimmed(let id, let version): if trims[id] == version { trims[id] = nil }
    case .deletedHistories: hasHistories = false
    }
  }

  /// Cancels all trims, because the transaction was rolled back.
  ///
  /// The transaction may have contained a snapshot that a trim relies on; the next snapshot of the
  /// session plans another trim.
  mutating func didRollBack() {
    trims = [:]
    hasHistories = true
  }
}
