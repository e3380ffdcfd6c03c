internal import Glibc
internal import ReactorLog

/// The histories that are being copied: a part with each group, so that no commit waits for a long
/// history.
///
/// An unfinished copy belongs to no session and is listed in the table `removals`, so that its rows
/// are deleted if the copy is interrupted, for example by a crash.
///
/// A copy stops with `LogError.full` if the free space is less than a tenth of the file system and less than 1 GiB.
struct Forks {
  /// An unfinished copy.
  struct Copy {
    /// The id of the new history.
    let id: Int64
    /// The history that is copied, as it was when the fork was requested, or `nil` if there is none.
    let source: Head?
    /// The parameters of the new session.
    let parameters: [UInt8]?
    /// Whether the snapshots are copied; they depend on the parameters and are only valid for the
    /// same ones.
    let includesSnapshots: Bool
  }

  private struct Name: Hashable {
    let target: SessionKey
    let epoch: String
  }

  private static let reservedBytes: UInt64 = 1 << 30
  private static let rowsPerGroup = 1000

  private var copies: [Name: Copy] = [:]
  /// The copies that the current transaction has started, and those that it has ended.
  private var started: [Name] = []
  private var ended: [Name] = []
  /// The numbers of rows and of their bytes that this group may still copy.
  private var budget = (rows: 0, bytes: 0)

  private let folder: String
  private let lastMutation: Statement
  private let lastSnapshot: Statement
  private let nextMutations: RowSlice
  private let nextSnapshots: RowSlice
  private let copyMutations: Statement
  private let copyGlobals: Statement
  private let copyEarlierGlobals: Statement
  private let copySnapshots: Statement
  private let isReadable: Statement

  /// Prepares the statements.
  ///
  /// - Parameters:
  ///   - connection: The writer's connection.
  ///   - path: A file on the file system of the store.
  /// - Throws: If the database fails.
  init(_ connection: SQLiteConnection, at path: String) throws(DatabaseError) {
    folder = path
    lastMutation = try connection.prepare(
      "SELECT version FROM mutations WHERE session = ?1 ORDER BY version DESC LIMIT 1")
    lastSnapshot = try connection.prepare(
      "SELECT version FROM snapshots WHERE session = ?1 ORDER BY version DESC LIMIT 1")
    nextMutations = try RowSlice("mutations", of: "action", "mutation", in: connection)
    nextSnapshots = try RowSlice("snapshots", of: "state", in: connection)
    copyMutations = try connection.prepare(
      """
      INSERT INTO mutations
        (session, version, at, action, global, revision, mutation, checksum, principal)
      SELECT ?1, version, at, action, global, revision, mutation, checksum, principal
      FROM mutations WHERE session = ?2 AND version > ?3 AND version <= ?4
      """)
    // The latest revision of each global: with max(), SQLite reads the other columns from the row
    // with the maximum.
    copyGlobals = try connection.prepare(
      """
      INSERT OR REPLACE INTO globals (session, name, revision)
      SELECT ?1, global, revision FROM (
        SELECT global, revision, max(version) FROM mutations
        WHERE session = ?1 AND version > ?2 AND global IS NOT NULL GROUP BY global)
      """)
    // Revisions that neither a copied nor a later entry has set were set by entries that retention
    // has deleted. A complete log has no such entries.
    copyEarlierGlobals = try connection.prepare(
      """
      INSERT OR IGNORE INTO globals (session, name, revision)
      SELECT ?1, name, revision FROM globals
      WHERE session = ?2
        AND NOT EXISTS (SELECT 1 FROM mutations WHERE session = ?1 AND version = 1)
        AND name NOT IN (SELECT name FROM globals WHERE session = ?1)
        AND name NOT IN (
          SELECT global FROM mutations WHERE session = ?2 AND version > ?3 AND global IS NOT NULL)
      """)
    copySnapshots = try connection.prepare(
      """
      INSERT INTO snapshots (session, version, state, schema, chain, checksum)
      SELECT ?1, version, state, schema, chain, checksum FROM snapshots
      WHERE session = ?2 AND version > ?3 AND version <= ?4
      """)
    // The rows end with the version, and begin with version 1 or after a snapshot.
    isReadable = try connection.prepare(
      """
      SELECT max(last, snapshot) = ?2 AND (first <= 1 OR snapshot >= first - 1) FROM (
        SELECT coalesce((
            SELECT version FROM mutations WHERE session = ?1 ORDER BY version LIMIT 1), 0) AS first,
          coalesce((
            SELECT version FROM mutations WHERE session = ?1 ORDER BY version DESC LIMIT 1), 0)
            AS last,
          coalesce((
            SELECT version FROM snapshots WHERE session = ?1 ORDER BY version DESC LIMIT 1), 0)
            AS snapshot)
      """)
  }

  /// Whether a history is the source or the target of a copy, so that its rows must not be deleted.
  func concern(_ id: Int64) -> Bool {
    copies.values.contains { $0.id == id || $0.source?.id == id }
  }

  /// Whether no copy is unfinished.
  var isEmpty: Bool { copies.isEmpty }

  /// Begins a transaction, in which a number of bytes may be copied.
  mutating func beginGroup(bytes: Int) {
    budget = (Self.rowsPerGroup, bytes)
    (started, ended) = ([], [])
  }

  /// Removes the copies that the committed transaction has ended.
  mutating func didCommit() {
    for name in ended { copies[name] = nil }
  }

  /// Removes the copies that were started by the transaction that was rolled back.
  ///
  /// The rows of these copies do not exist any more. Earlier copies continue: their progress is
  /// read from the database.
  mutating func didRollBack() {
    for name in started { copies[name] = nil }
  }

  // MARK: A single copy

  /// The unfinished copy for a session's new history.
  func copy(to target: SessionKey, epoch: String) -> Copy? {
    copies[Name(target: target, epoch: epoch)]
  }

  /// Whether the file system has space for copies.
  var hasSpace: Bool {
    var status = statvfs()
    guard unsafe statvfs(folder, &status) == 0 else { return true }
    let reserve = min(Self.reservedBytes, UInt64(status.f_blocks) * UInt64(status.f_frsize) / 10)
    return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= reserve
  }

  /// Adds an unfinished copy.
  mutating func start(_ copy: Copy, to target: SessionKey, epoch: String) {
    let name = Name(target: target, epoch: epoch)
    copies[name] = copy
    started.append(name)
  }

  /// Ends a copy with this transaction, finished or not.
  mutating func end(to target: SessionKey, epoch: String) {
    ended.append(Name(target: target, epoch: epoch))
  }

  /// Removes a copy that was rejected.
  mutating func cancel(to target: SessionKey, epoch: String) {
    copies[Name(target: target, epoch: epoch)] = nil
  }

  /// Copies the next rows, within a transaction.
  ///
  /// - Returns: Whether the copy is complete up to the version.
  mutating func copySome(_ copy: Copy, upTo version: Int) throws(DatabaseError) -> Bool {
    guard let source = copy.source else { return true }
    guard budget.rows > 0, budget.bytes > 0 else { return false }
    budget.rows -= 1
    let start = try lastMutation.first(copy.id, as: Int.self) ?? 0
    if let next = try nextMutations.next(
      of: source.id, after: start, upTo: version, atMost: budget.rows + 1, &budget.bytes)
    {
      try copyMutations.execute(copy.id, source.id, start, next.version)
      budget.rows -= copyMutations.changeCount - 1
      try copyGlobals.execute(copy.id, start)
      guard !next.hasMore else { return false }
    }
    if copy.includesSnapshots {
      let start = try lastSnapshot.first(copy.id, as: Int.self) ?? 0
      if let next = try nextSnapshots.next(
        of: source.id, after: start, upTo: version, atMost: max(1, budget.rows), &budget.bytes)
      {
        try copySnapshots.execute(copy.id, source.id, start, next.version)
        budget.rows -= copySnapshots.changeCount
        guard !next.hasMore else { return false }
      }
    }
    try copyEarlierGlobals.execute(copy.id, source.id, version)
    return true
  }

  /// Whether the State of the version can be folded from the copied rows.
  ///
  /// It cannot if the source was deleted, or retention has deleted its entries, before the copy began.
  func isReadable(_ copy: Copy, at version: Int) throws(DatabaseError) -> Bool {
    try isReadable.first(copy.id, version, as: Bool.self) ?? false
  }
}
