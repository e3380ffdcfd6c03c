internal import ReactorHost

/// Goes through all sessions, a few with each group, for those that retention has become too long
/// for: the ones that are written to look after themselves, and the others would keep everything.
///
/// It leaves alone what nobody hosts, and what only an earlier release has folded: its snapshots may
/// be of no use to this one. Once such a session was loaded, it has a snapshot that is.
struct RetentionSweep {
  private static let interval = Duration.seconds(86_400)
  private static let sessionsAStep = 200

  private let sessions: Statement
  private let rules: StoreRules
  /// How many changes of the schemas were looked at.
  private var seen = 0
  private var position: Int64 = 0
  // Not by the clock on the wall, which may be set.
  private var due = ContinuousClock.now

  init(_ connection: Connection, _ rules: StoreRules) throws(DatabaseError) {
    self.rules = rules
    sessions = try connection.prepare(
      """
      SELECT id, reactor, (
        SELECT version FROM mutations WHERE session = id ORDER BY version DESC LIMIT 1)
      FROM sessions WHERE id > ?1 AND ended = 0 ORDER BY id LIMIT \(Self.sessionsAStep)
      """)
  }

  /// Whether there are sessions to look at.
  var isDue: Bool {
    let changes = rules.schemas.changes
    return changes != seen || changes > 0 && ContinuousClock.now >= due
  }

  /// Looks at some sessions.
  mutating func plan(
    _ removals: inout Removals, now: Timestamp
  ) throws(DatabaseError) {
    guard isDue else { return }
    let changes = rules.schemas.changes
    if changes != seen {
      position = 0
      due = .now
      seen = changes
    }
    try sessions.bind(1, position)
    var hasMore = false
    while try sessions.step() {
      hasMore = true
      position = sessions.integer(0)
      let reactor = sessions.text(1)
      guard let schema = rules.schemas[reactor] else { continue }
      try removals.trim(
        position, at: sessions.number(2), to: rules.retention[reactor], schema: schema, now: now)
    }
    guard !hasMore else { return }
    position = 0
    due = .now + Self.interval
  }
}
