internal import ReactorHost

/// Goes through all sessions, a few with each group, for those that retention has become too long
/// for: the ones that are written to look after themselves, and the others would keep everything.
struct RetentionSweep {
  /// How often, in milliseconds.
  private static let interval: Int64 = 86_400_000
  private static let sessionsAStep = 200

  private let sessions: Statement
  private var position: Int64 = 0
  private var due: Int64 = .min

  init(_ connection: Connection) throws(DatabaseError) {
    sessions = try connection.prepare(
      """
      SELECT id, reactor, (
        SELECT version FROM mutations WHERE session = id ORDER BY version DESC LIMIT 1)
      FROM sessions WHERE id > ?1 AND ended = 0 ORDER BY id LIMIT \(Self.sessionsAStep)
      """)
  }

  /// Whether there are sessions to look at.
  func isDue(at now: Timestamp) -> Bool {
    now.milliseconds >= due
  }

  /// Looks at some sessions.
  mutating func plan(
    _ removals: inout Removals, by retention: RetentionRules, now: Timestamp
  ) throws(DatabaseError) {
    guard isDue(at: now) else { return }
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
    due = now.milliseconds + Self.interval
  }
}
