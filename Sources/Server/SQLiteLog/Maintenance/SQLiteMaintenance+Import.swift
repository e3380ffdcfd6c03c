internal import ReactorLog

extension SQLiteMaintenance {
  /// Imports the output of ``export(_:)``, completely or not at all.
  ///
  /// - Parameters:
  ///   - report: Leaves out each session and global with a line that is damaged or invalid, or that
  ///     exists, and is called with a text about the first of these lines of each. `nil` leaves out nothing.
  ///   - next: Returns the next line, without its end, or `nil` after the last one.
  /// - Returns: The number of imported sessions.
  /// - Throws: If a daemon uses the store, or a line is invalid and `report` is `nil`; or the error of
  ///   `next`.
  package func `import`(
    leavingOut report: ((String) -> Void)? = nil, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    var count = 0
    var failure: (any Error)?
    try exclusively { (file) throws(DatabaseError) in
      let connection = try file.connect(for: .writing)
      try connection.execute("BEGIN IMMEDIATE")
      var lines = try ImportedLines(into: connection)
      do {
        while let line = try next() { try lines.insert(line, leavingOut: report) }
        try lines.finishSession()
        try connection.execute("COMMIT")
        count = lines.sessionCount
      } catch {
        // Closing the connection rolls back.
        failure = error
      }
    }
    if let failure { throw failure }
    return count
  }
}

/// Inserts the lines of an export into a database.
private struct ImportedLines {
  private(set) var sessionCount = 0

  private let connection: SQLiteConnection
  private let inspect: Statement
  private let insertSession: Statement
  private let readSession: Statement
  private let insertSnapshot: Statement
  private let readMutation: Statement
  private let insertMutation: Statement
  private let insertAccepted: Statement
  private let insertShared: Statement
  private let insertOutcome: Statement
  private let insertTimer: Statement
  private let insertFailure: Statement
  private let insertGlobals: Statement
  private let markGlobals: Statement
  private let listSnapshots: Statement
  private let sealSnapshot: Statement
  private var line = 0
  /// The name of the current session or global, as the export has it, or `nil` before the first one.
  private var name: String?
  /// Whether the current session is left out.
  private var isLeftOut = false
  private var session: Int64
  private var last: Int?
  private var snapshot = 0
  private var chain: UInt64 = 0

  init(into connection: SQLiteConnection) throws(DatabaseError) {
    self.connection = connection
    try connection.execute("SAVEPOINT part")
    session = try connection.integer(
      """
      SELECT max(
        coalesce((SELECT max(id) FROM sessions), 0), coalesce((SELECT max(session) FROM removals), 0))
      """)
    inspect = try connection.prepare(
      """
      SELECT json_type(?1, '$.session') IS 'text', json_type(?1, '$.shared') IS 'text',
        json_type(?1, '$.outcome') IS 'text', json_type(?1, '$.accepted') IS 'integer',
        json_type(?1, '$.timer') IS 'text', json_type(?1, '$.failed') IS 'text',
        iif(json_type(?1, '$.snapshot') = 'integer', json_extract(?1, '$.snapshot'), NULL),
        iif(json_type(?1, '$.version') = 'integer', json_extract(?1, '$.version'), NULL),
        iif(json_type(?1, '$.damaged') = 'text', json_extract(?1, '$.damaged'), NULL),
        coalesce(
          json_extract(?1, '$.session'), json_extract(?1, '$.shared'), json_extract(?1, '$.name'))
      WHERE json_valid(?1)
      """)
    // The name of a reactor contains no slash.
    insertSession = try connection.prepare(
      """
      INSERT INTO sessions (id, reactor, session, epoch, created, ended, parameters)
      SELECT ?2, new.reactor, new.id, json_extract(?1, '$.epoch'), json_extract(?1, '$.created'),
        json_extract(?1, '$.ended') IS 1, ?1 -> '$.parameters'
      FROM (
        SELECT substr(name, 1, instr(name, '/') - 1) AS reactor, substr(name, instr(name, '/') + 1) AS id
        FROM (SELECT json_extract(?1, '$.session') AS name)) AS new
      WHERE \(Self.isTime("created"))
        AND NOT EXISTS (
          SELECT 1 FROM sessions WHERE reactor = new.reactor AND ended = 0 AND session = new.id)
        AND NOT EXISTS (
          SELECT 1 FROM sessions WHERE reactor = new.reactor AND ended = 1 AND session = new.id)
      """)
    readSession = try connection.prepare(
      "SELECT epoch, reactor, session, ended FROM sessions WHERE id = ?1")
    insertSnapshot = try connection.prepare(
      """
      INSERT INTO snapshots (session, version, state, schema)
      SELECT ?2, json_extract(?1, '$.snapshot'), ?1 -> '$.state',
        coalesce(json_extract(?1, '$.schema'), '')
      """)
    readMutation = try connection.prepare(
      """
      SELECT json_extract(?1, '$.at'), ?1 -> '$.action', json_extract(?1, '$.global'),
        json_extract(?1, '$.revision'), ?1 -> '$.mutation', json_extract(?1, '$.by')
      """)
    insertMutation = try connection.prepare(
      """
      INSERT INTO mutations
        (session, version, at, action, global, revision, mutation, checksum, principal)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """)
    insertShared = try connection.prepare(
      """
      INSERT INTO shared (name, epoch, version, revision, value)
      SELECT json_extract(?1, '$.shared'), json_extract(?1, '$.epoch'), json_extract(?1, '$.of'),
        json_extract(?1, '$.revision'), ?1 -> '$.value'
      WHERE \(Self.isCount("of"))
      """)
    insertAccepted = try connection.prepare(
      """
      INSERT INTO accepted
        (session, request, place, at, runs, action, in_array, key, body, failure, principal,
        send_name, context)
      SELECT ?2, json_extract(?1, '$.accepted'), json_extract(?1, '$.place'),
        json_extract(?1, '$.at'), json_extract(?1, '$.runs'), ?1 -> '$.action',
        json_extract(?1, '$.inArray') IS 1, json_extract(?1, '$.key'), json_extract(?1, '$.body'),
        ?1 -> '$.failure', ?1 -> '$.principal', json_extract(?1, '$.sendName'),
        ?1 -> '$.context'
      WHERE \(Self.isCount("accepted")) AND \(Self.isCount("place")) AND \(Self.isCount("runs"))
        AND \(Self.isTime("at"))
      """)
    insertOutcome = try connection.prepare(
      """
      INSERT INTO outcomes (session, key, body, at, version, failure)
      SELECT ?2, json_extract(?1, '$.outcome'), json_extract(?1, '$.body'),
        json_extract(?1, '$.at'), json_extract(?1, '$.of'), ?1 -> '$.failure'
      WHERE \(Self.isTime("at")) AND \(Self.isCount("of"))
      """)
    insertTimer = try connection.prepare(
      """
      INSERT INTO timers (session, id, due, action, period, catches_up)
      SELECT ?2, json_extract(?1, '$.timer'), json_extract(?1, '$.due'), ?1 -> '$.action',
        json_extract(?1, '$.period'), json_extract(?1, '$.catchesUp') IS 1
      WHERE \(Self.isTime("due")) AND (
        json_extract(?1, '$.period') IS NULL
        OR \(Self.isMember("period", of: StoredValues.periods)))
      """)
    insertFailure = try connection.prepare(
      """
      INSERT INTO failures (id, reactor, session, at, action, principal, context, failure)
      SELECT json_extract(?1, '$.failed'), reactor, ?2, json_extract(?1, '$.at'), ?1 -> '$.action',
        ?1 -> '$.principal', ?1 -> '$.context', ?1 -> '$.failure'
      FROM sessions WHERE id = ?2 AND \(Self.isTime("at"))
      """)
    insertGlobals = try connection.prepare(
      """
      INSERT INTO globals (session, name, revision)
      SELECT ?2, key, value FROM json_each(?1, '$.globals')
      """)
    // Earlier releases export no revisions: the entries have those that retention has not deleted.
    markGlobals = try connection.prepare(
      """
      INSERT OR IGNORE INTO globals (session, name, revision)
      SELECT ?1, global, revision FROM (
        SELECT global, revision, max(version) FROM mutations
        WHERE session = ?1 AND global IS NOT NULL GROUP BY global)
      """)
    listSnapshots = try connection.prepare(
      """
      SELECT version, state, schema, (
        SELECT checksum FROM mutations
        WHERE mutations.session = ?1 AND mutations.version = snapshots.version)
      FROM snapshots WHERE session = ?1
      """)
    sealSnapshot = try connection.prepare(
      "UPDATE snapshots SET chain = ?3, checksum = ?4 WHERE session = ?1 AND version = ?2")
  }

  /// Inserts a line.
  mutating func insert(_ text: [UInt8], leavingOut report: ((String) -> Void)?) throws {
    line += 1
    guard !text.isEmpty else { return }
    let before = sessionCount
    do {
      try insert(text)
    } catch let error as SQLiteLogError where report != nil && error.code == .invalidInput {
      if !isLeftOut { report?(error.message) }
      // A global is one line; a session is left out with all of its lines.
      guard sessionCount > 0 else { return }
      sessionCount = isLeftOut ? before : sessionCount - 1
      isLeftOut = true
      try connection.execute("ROLLBACK TO part")
    }
  }

  private mutating func insert(_ text: [UInt8]) throws {
    do throws(DatabaseError) {
      let row = try inspect.first(
        text, as: (Bool, Bool, Bool, Bool, Bool, Bool, Int?, Int?, String?, String?).self)
      guard
        let (
          isSession, isShared, isOutcome, isAccepted, isTimer, isFailure, snapshotVersion, version,
          damaged, name
        ) = row
      else {
        throw invalid("is not JSON")
      }
      if let name { self.name = name }
      if damaged == "session" {
        try beginPart()
        throw invalid("is a session that is damaged in the exported store")
      } else if isSession {
        try startSession(text)
      } else if isLeftOut, !isShared {
        return
      } else if let damaged {
        throw invalid("is a row of \(damaged) that is damaged in the exported store")
      } else if let snapshotVersion, sessionCount > 0 {
        try checkVersion(snapshotVersion)
        snapshot = max(snapshot, snapshotVersion)
        try insertSnapshot.execute(text, session)
      } else if let version, sessionCount > 0 {
        try insertMutation(text, version)
      } else if isAccepted, sessionCount > 0 {
        try insert(with: insertAccepted, text)
      } else if isOutcome, sessionCount > 0 {
        try insert(with: insertOutcome, text)
      } else if isTimer, sessionCount > 0 {
        try insert(with: insertTimer, text)
      } else if isFailure, sessionCount > 0 {
        try insert(with: insertFailure, text)
      } else if isShared {
        try insertShared.execute(text)
        guard insertShared.changeCount > 0 else { throw outOfRange }
      } else {
        throw invalid("is not a line of an export")
      }
    } catch {
      guard error.concernsOneStatement else { throw error }
      let session = name.map { " of \($0.debugDescription)" } ?? ""
      throw SQLiteLogError(
        .invalidInput, "line \(line)\(session) is invalid, or its session exists: \(error)")
    }
  }

  private func insert(with statement: Statement, _ text: [UInt8]) throws(DatabaseError) {
    try statement.execute(text, session)
    guard statement.changeCount > 0 else { throw outOfRange }
  }

  private func checkVersion(_ version: Int) throws(DatabaseError) {
    guard version > 0, StoredValues.counts.contains(version) else { throw outOfRange }
  }

  /// Finishes a session, and begins one that can be left out.
  private mutating func beginPart() throws(DatabaseError) {
    try finishSession()
    try connection.execute("RELEASE part; SAVEPOINT part")
    isLeftOut = false
    session += 1
    sessionCount += 1
  }

  private mutating func startSession(_ text: [UInt8]) throws(DatabaseError) {
    try beginPart()
    last = nil
    snapshot = 0
    try insertSession.execute(text, session)
    guard insertSession.changeCount > 0,
      let (epoch, reactor, id, isEnded) = try readSession.first(
        session, as: (String, String, String, Bool).self)
    else { throw invalid("names a session that exists, or has an invalid time") }
    guard StoredValues.isValid(SessionKey(reactor: reactor, id: id)),
      isEnded || StoredValues.isEpoch(epoch)
    else { throw invalid("has an invalid session id or epoch") }
    try insertGlobals.execute(text, session)
    chain = EntryChain.seed(epoch)
  }

  private mutating func insertMutation(
    _ text: [UInt8], _ version: Int
  ) throws(DatabaseError) {
    try checkVersion(version)
    guard version == (last ?? 0) + 1 || last == nil && version <= snapshot + 1 else {
      throw invalid("has version \(version), which does not follow the one before")
    }
    last = version
    let row = try readMutation.first(
      text, as: (Timestamp?, [UInt8]?, String?, UInt64?, [UInt8]?, String?).self)
    guard let (at, action, global, revision, mutation, by) = row, let at, let mutation else {
      throw invalid("is incomplete")
    }
    guard StoredValues.times.contains(at.milliseconds) else { throw outOfRange }
    let entry = LogEntry(
      version: version, at: at, action: action,
      global: global.map { LogEntry.GlobalMark(name: $0, revision: revision ?? 0) },
      mutation: mutation, by: by)
    chain = EntryChain.checksum(of: entry, after: chain)
    try insertMutation.execute(
      session, version, at, action, global, entry.global?.revision, mutation, chain,
      by)
  }

  /// Completes the session that was started last.
  func finishSession() throws(DatabaseError) {
    guard sessionCount > 0, !isLeftOut else { return }
    try markGlobals.execute(session)
    let epoch = try readSession.first(session, as: String.self) ?? ""
    let seed = EntryChain.seed(epoch)
    try listSnapshots.bind(session)
    defer { listSnapshots.reset() }
    while let (version, state, schema, chain) = try listSnapshots.next(
      as: (Int, [UInt8], String, UInt64?).self)
    {
      let chain = chain ?? seed
      let snapshot = Snapshot(version: version, state: state, schema: schema)
      try sealSnapshot.execute(
        session, version, chain, EntryChain.checksum(of: snapshot, at: chain))
    }
  }

  /// The SQL condition that a member of the line is a version or a count.
  private static func isCount(_ name: String) -> String {
    isMember(name, of: StoredValues.counts)
  }

  /// The SQL condition that a member of the line is a time.
  private static func isTime(_ name: String) -> String { isMember(name, of: StoredValues.times) }

  private static func isMember(_ name: String, of range: ClosedRange<some BinaryInteger>) -> String
  {
    "json_extract(?1, '$.\(name)') BETWEEN \(range.lowerBound) AND \(range.upperBound)"
  }

  private var outOfRange: DatabaseError {
    invalid("lacks a number or a time, or one is out of range")
  }

  private func invalid(_ reason: String) -> DatabaseError {
    DatabaseError(code: .constraint, message: "it \(reason)")
  }
}
