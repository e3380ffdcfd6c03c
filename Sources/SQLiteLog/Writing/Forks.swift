internal import ReactorHost

/// Histories that are copied: a part of them with each group, so that nobody waits for a long one.
///
/// Until all of it is there, a copy belongs to no session, and what there is of it is named among
/// the removals: whatever cuts it off, a crash too, it goes.
struct Forks {
  /// A history on its way to another session.
  struct Copy {
    /// The key of what belongs to the new history.
    let id: Int64
    /// The history that is copied, as it was when the fork was asked for; `nil` where there is none.
    let origin: Head?
  }

  /// What is copied, and to whom.
  private struct Name: Hashable {
    let target: SessionKey
    let epoch: String
  }

  private static let rowsAGroup = 1000
  /// Each is a whole State.
  private static let snapshotsAStep = 20

  private var copies: [Name: Copy] = [:]
  /// Those that this transaction has begun, and those that it has ended.
  private var begun: [Name] = []
  private var ended: [Name] = []
  /// How many rows this group may still copy.
  private var budget = 0

  private let lastMutation: Statement
  private let lastSnapshot: Statement
  private let copyMutations: Statement
  private let copyGlobals: Statement
  private let copySnapshots: Statement

  init(_ connection: Connection) throws(DatabaseError) {
    lastMutation = try connection.prepare(
      "SELECT version FROM mutations WHERE session = ?1 ORDER BY version DESC LIMIT 1")
    lastSnapshot = try connection.prepare(
      "SELECT version FROM snapshots WHERE session = ?1 ORDER BY version DESC LIMIT 1")
    copyMutations = try connection.prepare(
      """
      INSERT INTO mutations (session, version, at, action, global, revision, mutation)
      SELECT ?1, version, at, action, global, revision, mutation
      FROM mutations WHERE session = ?2 AND version > ?3 AND version <= ?4
      ORDER BY version LIMIT ?5
      """)
    // A global's last mutation; the plain column is of the row with the maximum.
    copyGlobals = try connection.prepare(
      """
      INSERT OR REPLACE INTO globals (session, name, revision)
      SELECT ?1, global, revision FROM (
        SELECT global, revision, max(version) FROM mutations
        WHERE session = ?1 AND version > ?2 AND global IS NOT NULL GROUP BY global)
      """)
    copySnapshots = try connection.prepare(
      """
      INSERT INTO snapshots (session, version, state, schema)
      SELECT ?1, version, state, schema FROM snapshots
      WHERE session = ?2 AND version > ?3 AND version <= ?4
      ORDER BY version LIMIT \(Self.snapshotsAStep)
      """)
  }

  /// Whether a history is being copied, or is the copy: nothing of it may be removed.
  func concern(_ id: Int64) -> Bool {
    copies.values.contains { $0.id == id || $0.origin?.id == id }
  }

  /// Whether no history is on its way.
  var isEmpty: Bool { copies.isEmpty }

  /// A transaction begins.
  mutating func beginGroup() {
    budget = Self.rowsAGroup
    (begun, ended) = ([], [])
  }

  /// The transaction is on the disk.
  mutating func didCommit() {
    for name in ended { copies[name] = nil }
  }

  /// The transaction was taken back.
  ///
  /// How far a copy has come is asked of the database each time, so that those from before go on. What
  /// one from this transaction copies may have gone with it.
  mutating func didTakeBack() {
    for name in begun { copies[name] = nil }
  }

  // MARK: One of them

  /// The copy that is on its way to a session's new history.
  func copy(to target: SessionKey, epoch: String) -> Copy? {
    copies[Name(target: target, epoch: epoch)]
  }

  /// Remembers a copy until it is at its end.
  mutating func begin(_ copy: Copy, to target: SessionKey, epoch: String) {
    let name = Name(target: target, epoch: epoch)
    copies[name] = copy
    begun.append(name)
  }

  /// A copy is at its end with this transaction, whatever became of it.
  mutating func end(to target: SessionKey, epoch: String) {
    ended.append(Name(target: target, epoch: epoch))
  }

  /// Nobody asks for a copy any more.
  mutating func giveUp(to target: SessionKey, epoch: String) {
    copies[Name(target: target, epoch: epoch)] = nil
  }

  /// Copies the next rows, within a transaction.
  ///
  /// - Returns: Whether everything up to the version is there.
  mutating func copySome(_ copy: Copy, upTo version: Int) throws(DatabaseError) -> Bool {
    guard let origin = copy.origin else { return true }
    guard budget > 0 else { return false }
    let begin = try position(of: copy.id, by: lastMutation)
    let limit = budget
    try copyMutations.bind(1, copy.id)
    try copyMutations.bind(2, origin.id)
    try copyMutations.bind(3, begin)
    try copyMutations.bind(4, version)
    try copyMutations.bind(5, limit)
    try copyMutations.run()
    let copied = Int(copyMutations.changeCount)
    if copied > 0 {
      try copyGlobals.bind(1, copy.id)
      try copyGlobals.bind(2, begin)
      try copyGlobals.run()
    }
    budget -= max(1, copied)
    guard copied < limit else { return false }
    return try copySomeSnapshots(copy.id, of: origin.id, upTo: version)
  }

  private func copySomeSnapshots(
    _ id: Int64, of origin: Int64, upTo version: Int
  ) throws(DatabaseError) -> Bool {
    let begin = try position(of: id, by: lastSnapshot)
    try copySnapshots.bind(1, id)
    try copySnapshots.bind(2, origin)
    try copySnapshots.bind(3, begin)
    try copySnapshots.bind(4, version)
    try copySnapshots.run()
    return copySnapshots.changeCount < Self.snapshotsAStep
  }

  private func position(of id: Int64, by query: Statement) throws(DatabaseError) -> Int {
    try query.bind(1, id)
    guard try query.step() else { return 0 }
    defer { query.reset() }
    return query.number(0)
  }
}
