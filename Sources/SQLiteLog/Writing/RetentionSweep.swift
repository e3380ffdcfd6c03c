internal import ReactorHost

/// Goes through all sessions, a few with each group, for those that retention has become too long
/// for: the ones that are written to look after themselves, and the others would keep everything.
struct RetentionSweep {
  private static let interval = Duration.seconds(86_400)
  private static let sessionsAStep = 200

  private let sessions: Statement
  private var position: Int64 = 0
  // Not by the clock on the wall, which may be set.
  private var due = ContinuousClock.now

  init(_ connection: Connection) throws(DatabaseError) {
    sessions = try connection.prepare(
      """
      SELECT id, reactor, (
        SELECT version FROM mutations WHERE session = id ORDER BY version DESC LIMIT 1)
      FROM sessions WHERE id > ?1 AND ended = 0 ORDER BY id LIMIT \(Self.sessionsAStep)
      """)
  }

  /// Whether there are sessions to look at.
  var isDue: Bool { ContinuousClock.now >= due }

  /// Looks at some sessions.
  mutating func plan(
    _ removals: inout Removals, by retention: RetentionRules, now: Timestamp
  ) throws(DatabaseError) {
    guard isDue else { return }
    try sessions.bind(1, position)
    var hasMore = false
    while try sessions.step() {
      hasMore = true
      position = sessions.integer(0)
      try removals.trim(
        position, at: sessions.number(2), to: retention[sessions.text(1)], now: now)
    }
    guard !hasMore else { return }
    position = 0
    due = .now + Self.interval
  }
}
