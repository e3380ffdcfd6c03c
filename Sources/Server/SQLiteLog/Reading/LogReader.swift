internal import ReactorLog

/// A reading connection with its statements.
///
/// Each call reads one state of the database.
final class LogReader {
  /// The size at which a page of entries ends, in bytes; its last entry can exceed it.
  private static let pageBytes = 4 << 20

  let connection: SQLiteConnection
  private let findSession: Statement
  private let listSessions: Statement
  private let readEntries: Statement
  private let hasEarlierEntries: Statement
  private let hasFirstEntry: Statement
  private let readSnapshots: Statement
  let readShared: Statement
  let readAccepted: Statement
  let readOutcome: Statement
  let listUnfinished: Statement
  let readChanges: Statement
  let findOldestChange: Statement
  let readTimers: Statement
  let listDueTimers: Statement
  let findNextTimer: Statement
  let countTimers: Statement
  let readFailures: Statement

  /// Prepares the statements on a connection.
  init(_ connection: SQLiteConnection) throws(DatabaseError) {
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
        EXISTS (SELECT 1 FROM accepted WHERE accepted.session = sessions.id),
        EXISTS (SELECT 1 FROM timers WHERE timers.session = sessions.id), parameters,
        types IS ?3, former
      FROM sessions LEFT JOIN globals ON globals.session = id
      WHERE id = \(Schema.sessionID)
      """)
    listSessions = try connection.prepare(
      """
      SELECT session, epoch, \(version), \(lastActive) FROM sessions
      WHERE reactor = ?1 AND session > ?2 AND ended = 0 ORDER BY session
      """)
    readEntries = try connection.prepare(
      """
      SELECT \(StoredEntry.columns(anchoredAt: "?3"))
      FROM sessions CROSS JOIN mutations ON mutations.session = id
      WHERE reactor = ?1 AND sessions.session = ?2 AND ended = 0 AND version >= ?3
      ORDER BY version LIMIT ?4
      """)
    hasEarlierEntries = try connection.prepare(
      """
      SELECT EXISTS (SELECT 1 FROM mutations WHERE session = id AND version <= ?3) FROM sessions
      WHERE reactor = ?1 AND session = ?2 AND ended = 0 AND coalesce(origin, epoch) = ?4
      """)
    hasFirstEntry = try connection.prepare(
      "SELECT EXISTS (SELECT 1 FROM mutations WHERE session = \(id) AND version = 1)")
    readSnapshots = try connection.prepare(
      """
      SELECT version, state, schema, chain, checksum FROM snapshots
      WHERE session = \(id) AND version <= ?3 AND schema = coalesce(?4, schema)
      ORDER BY version DESC
      """)
    readShared = try connection.prepare(
      "SELECT epoch, version, revision, value FROM shared WHERE name = ?1")
    readAccepted = try connection.prepare(
      """
      SELECT request, place, at, runs, action, in_array, key, body, failure, principal, send_name,
        context, principal IS NULL OR json_valid(principal)
      FROM accepted
      WHERE session = \(id) ORDER BY request, place
      """)
    readOutcome = try connection.prepare(
      """
      SELECT key, body, at, version, failure FROM outcomes
      WHERE session = \(id) AND key IN (?3, ?4) ORDER BY key LIMIT 1
      """)
    // Few sessions have accepted actions: CROSS JOIN looks up these sessions one by one.
    listUnfinished = try connection.prepare(
      """
      SELECT reactor, sessions.session
      FROM (SELECT DISTINCT session AS history FROM accepted) CROSS JOIN sessions ON id = history
      WHERE (reactor, sessions.session) > (?1, ?2) AND ended = 0
      ORDER BY reactor, sessions.session
      """)
    readChanges = try connection.prepare(
      """
      SELECT number, kind, reactor, session, epoch, version, first, origin, at, principal
      FROM changes WHERE number > ?1 AND number <= ?2 ORDER BY number LIMIT ?3
      """)
    findOldestChange = try connection.prepare(
      "SELECT number FROM changes WHERE number > 0 ORDER BY number LIMIT 1")
    readTimers = try connection.prepare(
      "SELECT id, due, action, period, catches_up FROM timers WHERE session = \(id)")
    listDueTimers = try connection.prepare(
      """
      SELECT reactor, sessions.session, due, timers.session, timers.id
      FROM timers INDEXED BY timers_by_due CROSS JOIN sessions ON sessions.id = timers.session
      WHERE (due, timers.session, timers.id) > (?1, ?2, ?3) AND due <= ?4 AND ended = 0
      ORDER BY due, timers.session, timers.id
      """)
    findNextTimer = try connection.prepare(
      """
      SELECT due FROM timers WHERE due > ?1 AND due <= \(StoredValues.times.upperBound)
      ORDER BY due LIMIT 1
      """)
    countTimers = try connection.prepare("SELECT count(*) FROM timers")
    readFailures = try connection.prepare(
      """
      SELECT failures.id, sessions.session, at, action, principal, context, failure
      FROM failures JOIN sessions ON sessions.id = failures.session
      WHERE failures.reactor = ?1 ORDER BY number DESC
      """)
    self.connection = connection
  }

  /// Reads the state of a session.
  ///
  /// - Parameters:
  ///   - key: The session.
  ///   - schema: The fingerprint of its State and Mutation, or `nil` if it is unknown.
  /// - Returns: The record.
  /// - Throws: If the record cannot be read, or is damaged.
  func record(
    of key: SessionKey, schema: String? = nil
  ) throws(DatabaseError) -> SessionRecord {
    var record = SessionRecord.none
    var globals: [String: UInt64] = [:]
    try findSession.bind(key.reactor, key.id, schema)
    defer { findSession.reset() }
    while let (
      isEnded, epoch, version, lastActiveAt, global, revision, isUnfinished, hasTimers, parameters,
      hasSchema, former
    ) = try findSession.next(
      as: (Bool, String, Int, Timestamp, String?, UInt64?, Bool, Bool, [UInt8]?, Bool, Int).self)
    {
      if let global { globals[global] = revision }
      guard isEnded || StoredValues.isEpoch(epoch) && StoredValues.areCounts(version),
        isEnded || StoredValues.areTimes(lastActiveAt)
      else { throw .damaged("session \(key)") }
      var stored = StoredSession(
        epoch: epoch, version: version, lastActiveAt: lastActiveAt, globals: globals,
        isUnfinished: isUnfinished, hasTimers: hasTimers, parameters: parameters)
      stored.formerVersion = hasSchema || schema == nil ? former : version
      record = isEnded ? .ended : .stored(stored)
    }
    return record
  }

  /// Reads the record of a session and the data to continue it: its accepted actions, its timers, a
  /// snapshot, and the first page of entries after the snapshot.
  func load(_ key: SessionKey, schema: String?) throws(DatabaseError) -> LoadedSession {
    var loaded = LoadedSession(try record(of: key, schema: schema))
    guard case .stored(let stored) = loaded.record else { return loaded }
    if stored.isUnfinished { loaded.acceptedActions = try acceptedActions(of: key) }
    if stored.hasTimers { loaded.timers = try timers(of: key) }
    guard stored.version > 0 else { return loaded }
    loaded.snapshot = try snapshot(of: key, atOrBefore: stored.version, schema: schema)
    if loaded.snapshot == nil, schema != nil,
      try !(hasFirstEntry.first(key.reactor, key.id, as: Bool.self) ?? false)
    {
      loaded.snapshot = try snapshot(of: key, atOrBefore: stored.version, schema: nil)
    }
    let base = loaded.snapshot?.version ?? 0
    guard base < stored.version else { return loaded }
    loaded.entries = try entries(
      of: key, after: base, limit: min(LoadedSession.pageLength, stored.version - base))
    return loaded
  }

  /// The sessions of a reactor that have not ended, after an id; those with a damaged id are skipped.
  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(DatabaseError) -> [SessionSummary] {
    var summaries: [SessionSummary] = []
    try listSessions.bind(reactor, id ?? "")
    defer { listSessions.reset() }
    while summaries.count < limit,
      let (id, epoch, version, lastActiveAt) = try listSessions.next(
        as: (String, String, Int, Int64).self)
    {
      guard StoredValues.key(reactor: reactor, id: id) != nil else { continue }
      // A session with damaged numbers is listed, and cannot be loaded.
      summaries.append(
        SessionSummary(
          id: id, cursor: Cursor(epoch: epoch, version: StoredValues.counts.nearest(version)),
          subscribers: 0,
          lastActiveAt: Timestamp(milliseconds: StoredValues.times.nearest(lastActiveAt))))
    }
    return summaries
  }

  /// The entries of a session after a version, verified.
  ///
  /// - Throws: If the first entry is damaged or follows a gap; a later one ends the page.
  func entries(
    of key: SessionKey, after version: Int, limit: Int
  ) throws(DatabaseError) -> [LogEntry] {
    guard limit > 0 else { return [] }
    let version = max(0, version)
    var verifier = ChainVerifier()
    var entries: [LogEntry] = []
    var bytes = 0
    var damage: String?
    var gap: String?  // the origin of a session whose first entry does not follow the version
    // The entry of the version itself is also read: its checksum verifies the next entry.
    try readEntries.bind(key.reactor, key.id, version, limit + (limit < .max ? 1 : 0))
    defer { readEntries.reset() }
    while entries.count < limit, bytes < Self.pageBytes,
      let row = try readEntries.next(as: StoredEntry.Row.self)
    {
      let stored = StoredEntry(row: row)
      damage = verifier.verify(stored)
      guard stored.entry.version > version else { continue }
      guard damage == nil else { break }
      if entries.isEmpty, stored.entry.version > version + 1 { gap = stored.origin }
      entries.append(stored.entry)
      bytes += stored.entry.mutation.count + (stored.entry.action?.count ?? 0)
    }
    if let damage, entries.isEmpty { throw DatabaseError(code: .corrupt, message: damage) }
    // Retention deletes the oldest entries: a gap is damage if there is an entry before it.
    if let gap, version > 0,
      try hasEarlierEntries.first(key.reactor, key.id, version, gap, as: Bool.self) ?? false
    {
      throw DatabaseError(code: .corrupt, message: "version \(version + 1) is missing")
    }
    return entries
  }

  /// The latest undamaged snapshot of a session at or before a version, with a schema; `nil`
  /// accepts any schema.
  ///
  /// - Throws: If all these snapshots are damaged, and the log does not begin with version 1.
  func snapshot(
    of key: SessionKey, atOrBefore version: Int, schema: String?
  ) throws(DatabaseError) -> Snapshot? {
    var found: Snapshot?
    var damaged: Int?
    try readSnapshots.bind(key.reactor, key.id, version, schema)
    defer { readSnapshots.reset() }
    while found == nil,
      let (version, state, schema, chain, checksum) = try readSnapshots.next(
        as: (Int, [UInt8], String, UInt64?, UInt64?).self)
    {
      let snapshot = Snapshot(version: version, state: state, schema: schema)
      guard StoredValues.areCounts(version),
        checksum == nil || checksum == EntryChain.checksum(of: snapshot, at: chain ?? 0)
      else {
        damaged = damaged ?? version
        continue
      }
      found = snapshot
    }
    if found == nil, let damaged,
      try !(hasFirstEntry.first(key.reactor, key.id, as: Bool.self) ?? false)
    {
      throw DatabaseError(
        code: .corrupt, message: "the snapshot of version \(damaged) does not match its checksum")
    }
    return found
  }
}
