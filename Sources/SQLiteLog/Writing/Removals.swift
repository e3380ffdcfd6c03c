internal import ReactorHost

/// What is to be removed from the database: a few rows with each group, so that nobody waits for it.
struct Removals {
  /// A step of the removing, to be confirmed when its transaction is on the disk.
  enum Step {
    case none
    case trimmed(Int64, upTo: Int)
    case removedHistories
    case removedSome
  }

  private static let rowsAStep = 500

  /// How far the beginnings of histories are to be removed, by the histories' keys.
  private var trims: [Int64: Int] = [:]
  /// Whether the table of ended histories has anything to do.
  private var hasHistories = true

  private let insertHistory: Statement
  private let nextHistory: Statement
  private let deleteHistory: Statement
  private let deleteMutations: Statement
  private let deleteSnapshots: Statement
  private let deleteGlobals: Statement
  private let deleteAccepted: Statement
  private let deleteOutcomes: Statement
  private let oldSnapshot: Statement
  private let snapshotOfOldEntry: Statement

  init(_ connection: Connection) throws(DatabaseError) {
    insertHistory = try connection.prepare("INSERT OR IGNORE INTO removals (session) VALUES (?1)")
    nextHistory = try connection.prepare("SELECT session FROM removals ORDER BY session")
    deleteHistory = try connection.prepare("DELETE FROM removals WHERE session = ?1")
    deleteMutations = try connection.prepare(
      """
      DELETE FROM mutations WHERE session = ?1 AND version <= min(?2, \(Self.rowsAStep) + (
        SELECT version FROM mutations WHERE session = ?1 ORDER BY version LIMIT 1))
      """)
    deleteSnapshots = try connection.prepare(
      """
      DELETE FROM snapshots WHERE rowid IN (
        SELECT rowid FROM snapshots WHERE session = ?1 AND version < ?2 LIMIT 20)
      """)
    deleteGlobals = try connection.prepare("DELETE FROM globals WHERE session = ?1")
    deleteAccepted = try connection.prepare("DELETE FROM accepted WHERE session = ?1")
    deleteOutcomes = try connection.prepare(
      """
      DELETE FROM outcomes WHERE session = ?1 AND key IN (
        SELECT key FROM outcomes WHERE session = ?1 LIMIT \(Self.rowsAStep))
      """)
    oldSnapshot = try connection.prepare(
      """
      SELECT version FROM snapshots WHERE session = ?1 AND version <= ?2 AND schema = ?3
      ORDER BY version DESC LIMIT 1
      """)
    snapshotOfOldEntry = try connection.prepare(
      """
      SELECT version FROM snapshots
      WHERE session = ?1 AND version < ?2 AND schema = ?3 AND (
        SELECT at FROM mutations
        WHERE mutations.session = snapshots.session AND mutations.version = snapshots.version) < ?4
      ORDER BY version DESC LIMIT 1
      """)
  }

  /// Whether the beginning of a history is to be removed.
  func areTrimming(_ id: Int64) -> Bool { trims[id] != nil }

  /// Whether there is anything to remove.
  var isEmpty: Bool { trims.isEmpty && !hasHistories }

  /// Removes all of a history, which no session has any more, or none has yet.
  mutating func add(history id: Int64) throws(DatabaseError) {
    try insertHistory.bind(1, id)
    try insertHistory.run()
    hasHistories = true
  }

  /// Keeps a history, which a session has now.
  func keep(history id: Int64) throws(DatabaseError) {
    try deleteHistory.bind(1, id)
    try deleteHistory.run()
  }

  /// Removes of a history that is at a version what need not be kept.
  ///
  /// That is everything up to a snapshot of a schema, which then stands in for it: one of another may
  /// not be readable. At least the last entry stays.
  mutating func trim(
    _ id: Int64, at version: Int, to retention: Retention, schema: String, now: Timestamp
  ) throws(DatabaseError) {
    switch retention {
    case .all: return
    case .versions(let count):
      guard version > count else { return }
      try oldSnapshot.bind(1, id)
      try oldSnapshot.bind(2, version - max(count, 1))
      try oldSnapshot.bind(3, text: schema)
      try plan(id, oldSnapshot)
    case .days(let count):
      try snapshotOfOldEntry.bind(1, id)
      try snapshotOfOldEntry.bind(2, version)
      try snapshotOfOldEntry.bind(3, text: schema)
      try snapshotOfOldEntry.bind(4, now.milliseconds - Int64(count) * 86_400_000)
      try plan(id, snapshotOfOldEntry)
    }
  }

  private mutating func plan(
    _ id: Int64, _ query: Statement
  ) throws(DatabaseError) {
    guard try query.step() else { return }
    trims[id] = query.number(0)
    query.reset()
  }

  // MARK: Step by step

  /// Removes some rows, within a transaction, of histories that are not copied just now.
  mutating func removeSome(except forks: Forks) throws(DatabaseError) -> Step {
    if let (id, version) = trims.first(where: { !forks.concern($0.key) }) {
      let isDone = try removeSome(of: id, upTo: version)
      return isDone ? .trimmed(id, upTo: version) : .removedSome
    }
    guard hasHistories else { return .none }
    guard let id = try nextHistory(except: forks) else {
      return forks.isEmpty ? .removedHistories : .none
    }
    if try removeSome(of: id, upTo: .max), try removeOutcomes(of: id) {
      for statement in [deleteGlobals, deleteAccepted, deleteHistory] {
        try statement.bind(1, id)
        try statement.run()
      }
    }
    return .removedSome
  }

  private func nextHistory(except forks: Forks) throws(DatabaseError) -> Int64? {
    while try nextHistory.step() {
      let id = nextHistory.integer(0)
      guard !forks.concern(id) else { continue }
      nextHistory.reset()
      return id
    }
    return nil
  }

  /// Removes rows of a history.
  ///
  /// - Returns: Whether there were none left.
  private func removeSome(of id: Int64, upTo version: Int) throws(DatabaseError) -> Bool {
    try deleteMutations.bind(1, id)
    try deleteMutations.bind(2, version)
    try deleteMutations.run()
    guard deleteMutations.changeCount == 0 else { return false }
    try deleteSnapshots.bind(1, id)
    try deleteSnapshots.bind(2, version)
    try deleteSnapshots.run()
    return deleteSnapshots.changeCount == 0
  }

  private func removeOutcomes(of id: Int64) throws(DatabaseError) -> Bool {
    try deleteOutcomes.bind(1, id)
    try deleteOutcomes.run()
    return deleteOutcomes.changeCount == 0
  }

  /// A step is on the disk.
  mutating func didRemove(_ step: Step) {
    switch step {
    case .none, .removedSome: break
    case .trimmed(let id, let version): if trims[id] == version { trims[id] = nil }
    case .removedHistories: hasHistories = false
    }
  }

  /// A transaction was taken back.
  ///
  /// With it went perhaps a snapshot that was to stand in for what a trim removes. The next snapshot
  /// of the session plans another.
  mutating func didTakeBack() {
    trims = [:]
    hasHistories = true
  }
}
