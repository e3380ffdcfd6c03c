internal import ReactorHost

/// A reading connection with its statements.
///
/// Each call sees one moment of the database.
final class LogReader {
  private let connection: Connection
  private let findSession: Statement
  private let listSessions: Statement
  private let readEntries: Statement
  private let readSnapshot: Statement
  let readShared: Statement
  let readAccepted: Statement
  let readOutcome: Statement
  let listUnfinished: Statement

  /// Takes over a connection.
  init(_ connection: Connection) throws(DatabaseError) {
    let version = """
      max(
        coalesce((
          SELECT version FROM mutations WHERE session = id ORDER BY version DESC LIMIT 1), 0),
        coalesce((
          SELECT version FROM snapshots WHERE session = id ORDER BY version DESC LIMIT 1), 0))
      """
    let lastActive = """
      max(created, coalesce((
        SELECT at FROM mutations WHERE session = id ORDER BY version DESC LIMIT 1), created))
      """
    let id = "(SELECT id FROM sessions WHERE reactor = ?1 AND session = ?2 AND ended = 0)"
    findSession = try connection.prepare(
      """
      SELECT ended, epoch, \(version), \(lastActive), name, revision,
        EXISTS (SELECT 1 FROM accepted WHERE accepted.session = sessions.id)
      FROM sessions LEFT JOIN globals ON globals.session = id
      WHERE reactor = ?1 AND sessions.session = ?2
      """)
    listSessions = try connection.prepare(
      """
      SELECT session, epoch, \(version), \(lastActive) FROM sessions
      WHERE reactor = ?1 AND session > ?2 AND ended = 0 ORDER BY session LIMIT ?3
      """)
    readEntries = try connection.prepare(
      """
      SELECT version, at, action, global, revision, mutation FROM mutations
      WHERE session = \(id) AND version > ?3 ORDER BY version LIMIT ?4
      """)
    readSnapshot = try connection.prepare(
      """
      SELECT version, state, schema FROM snapshots
      WHERE session = \(id) AND version <= ?3 AND schema = coalesce(?4, schema) ORDER BY version DESC LIMIT 1
      """)
    readShared = try connection.prepare(
      "SELECT epoch, version, revision, value FROM shared WHERE name = ?1")
    readAccepted = try connection.prepare(
      """
      SELECT request, place, at, runs, action, in_array, key, body, failure FROM accepted
      WHERE session = \(id) ORDER BY request, place
      """)
    readOutcome = try connection.prepare(
      """
      SELECT body, at, version, failure FROM outcomes WHERE session = \(id) AND key = ?3
      """)
    // The few that have any are looked up one by one.
    listUnfinished = try connection.prepare(
      """
      SELECT reactor, sessions.session
      FROM (SELECT DISTINCT session AS history FROM accepted) CROSS JOIN sessions ON id = history
      WHERE (reactor, sessions.session) > (?1, ?2) AND ended = 0
      ORDER BY reactor, sessions.session LIMIT ?3
      """)
    self.connection = connection
  }

  /// What is known of a session.
  func record(of key: SessionKey) throws(DatabaseError) -> SessionRecord {
    try findSession.bind(1, text: key.reactor)
    try findSession.bind(2, text: key.id)
    defer { findSession.reset() }
    guard try findSession.step() else { return .none }
    guard findSession.integer(0) == 0 else { return .ended }
    let epoch = findSession.text(1)
    let version = findSession.number(2)
    let lastActive = Timestamp(milliseconds: findSession.integer(3))
    let isUnfinished = findSession.integer(6) != 0
    var globals: [String: UInt64] = [:]
    repeat {
      guard !findSession.isNull(4) else { continue }
      globals[findSession.text(4)] = UInt64(bitPattern: findSession.integer(5))
    } while try findSession.step()
    return .stored(
      StoredSession(
        epoch: epoch, version: version, lastActiveAt: lastActive, globals: globals,
        isUnfinished: isUnfinished))
  }

  /// The sessions of a reactor that have not ended.
  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(DatabaseError) -> [SessionSummary] {
    try listSessions.bind(1, text: reactor)
    try listSessions.bind(2, text: id ?? "")
    try listSessions.bind(3, max(0, limit))
    defer { listSessions.reset() }
    var summaries: [SessionSummary] = []
    while try listSessions.step() {
      summaries.append(
        SessionSummary(
          id: listSessions.text(0),
          cursor: Cursor(epoch: listSessions.text(1), version: listSessions.number(2)),
          subscribers: 0, lastActiveAt: Timestamp(milliseconds: listSessions.integer(3))))
    }
    return summaries
  }

  /// The entries of a session after a version.
  func entries(
    of key: SessionKey, after version: Int, limit: Int
  ) throws(DatabaseError) -> [LogEntry] {
    try readEntries.bind(1, text: key.reactor)
    try readEntries.bind(2, text: key.id)
    try readEntries.bind(3, version)
    try readEntries.bind(4, max(0, limit))
    defer { readEntries.reset() }
    var entries: [LogEntry] = []
    while try readEntries.step() {
      entries.append(
        LogEntry(
          version: readEntries.number(0), at: Timestamp(milliseconds: readEntries.integer(1)),
          action: readEntries.bytes(2), global: mark(), mutation: readEntries.bytes(5) ?? []))
    }
    return entries
  }

  /// The global of the entry that is being read.
  private func mark() -> LogEntry.GlobalMark? {
    guard !readEntries.isNull(3) else { return nil }
    return LogEntry.GlobalMark(
      name: readEntries.text(3), revision: UInt64(bitPattern: readEntries.integer(4)))
  }

  /// The latest snapshot of a session at or before a version, of a schema or of any.
  func snapshot(
    of key: SessionKey, atOrBefore version: Int, schema: String?
  ) throws(DatabaseError) -> Snapshot? {
    try readSnapshot.bind(1, text: key.reactor)
    try readSnapshot.bind(2, text: key.id)
    try readSnapshot.bind(3, version)
    try readSnapshot.bind(4, text: schema)
    defer { readSnapshot.reset() }
    guard try readSnapshot.step() else { return nil }
    return Snapshot(
      version: readSnapshot.number(0), state: readSnapshot.bytes(1) ?? [],
      schema: readSnapshot.text(2))
  }
}
