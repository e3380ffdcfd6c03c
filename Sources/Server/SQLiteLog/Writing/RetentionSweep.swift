internal import ReactorLog

/// Visits all sessions, a few with each group, and plans the deletions that retention requires.
///
/// It is needed for sessions that are not written to; the others are trimmed when they store a
/// snapshot.
///
/// Skips reactors that are not hosted, and sessions whose snapshots only an earlier release can
/// decode. Those get a readable snapshot when they are loaded.
struct RetentionSweep {
  private static let interval = Duration.seconds(86_400)
  private static let sessionsPerStep = 200

  private let sessions: Statement
  private let rules: StoreRules
  /// The value of ``ReadableSchemas/changes`` when the latest sweep began.
  private var seen = 0
  private var position: Int64 = 0
  // On the monotonic clock, because the wall clock can be set.
  private var due = ContinuousClock.now

  init(_ connection: SQLiteConnection, _ rules: StoreRules) throws(DatabaseError) {
    self.rules = rules
    sessions = try connection.prepare(
      """
      SELECT id, reactor, (
        SELECT version FROM mutations WHERE session = id ORDER BY version DESC LIMIT 1)
      FROM sessions WHERE id > ?1 AND ended = 0 ORDER BY id LIMIT \(Self.sessionsPerStep)
      """)
  }

  /// Whether there are sessions to visit.
  var isDue: Bool {
    let changes = rules.schemas.changes
    return changes != seen || changes > 0 && ContinuousClock.now >= due
  }

  /// Plans the deletions in the next ``sessionsPerStep`` sessions, if a sweep is due.
  mutating func plan(_ removals: inout Removals, now: Timestamp) throws(DatabaseError) {
    guard isDue else { return }
    let changes = rules.schemas.changes
    if changes != seen {
      position = 0
      due = .now
      seen = changes
    }
    try sessions.bind(position)
    defer { sessions.reset() }
    var hasMore = false
    while let (id, reactor, version) = try sessions.next(as: (Int64, String, Int).self) {
      hasMore = true
      position = id
      guard let schema = rules.schemas[reactor] else { continue }
      try removals.trim(
        id, at: version, to: rules.retention[reactor], schema: schema, now: now)
    }
    guard !hasMore else { return }
    position = 0
    due = .now + Self.interval
  }
}
