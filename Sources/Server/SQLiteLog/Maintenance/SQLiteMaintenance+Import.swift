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
      let rows = try ImportedRows(into: connection)
      var lines = ImportSequence(into: rows, leavingOut: report)
      do {
        count = try lines.insert(next)
        try connection.execute("COMMIT")
      } catch let error as ImportError {
        failure = SQLiteLogError(.invalidInput, error.description)
      } catch {
        // Closing the connection rolls back.
        failure = error
      }
    }
    if let failure { throw failure }
    return count
  }
}

/// The rows of an export that are inserted into a database.
private struct ImportedRows: ImportTarget {
  private let connection: SQLiteConnection
  private let insertSession: Statement
  private let insertSnapshot: Statement
  private let insertMutation: Statement
  private let insertAccepted: Statement
  private let insertShared: Statement
  private let insertOutcome: Statement
  private let insertTimer: Statement
  private let insertFailure: Statement
  private let insertGlobal: Statement
  private let listSnapshots: Statement
  private let sealSnapshot: Statement
  /// The id of the current session in the database.
  private var session: Int64
  private var reactor = ""
  private var chain: UInt64 = 0

  init(into connection: SQLiteConnection) throws(DatabaseError) {
    self.connection = connection
    try connection.execute("SAVEPOINT part")
    session = try connection.integer(
      """
      SELECT max(
        coalesce((SELECT max(id) FROM sessions), 0), coalesce((SELECT max(session) FROM removals), 0))
      """)
    insertSession = try connection.prepare(
      """
      INSERT INTO sessions (reactor, session, id, epoch, created, ended, parameters)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE \(Schema.sessionID) IS NULL
      """)
    // Unlike the statements of the writer, these replace no row: a repeated line is invalid.
    insertSnapshot = try connection.prepare(
      "INSERT INTO snapshots (session, version, state, schema) VALUES (?1, ?2, ?3, ?4)")
    insertMutation = try connection.prepare(
      """
      INSERT INTO mutations
        (session, version, at, action, global, revision, mutation, checksum, principal)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """)
    insertShared = try connection.prepare(
      """
      INSERT INTO shared (name, epoch, version, revision, value) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (name) DO NOTHING
      """)
    insertAccepted = try connection.prepare(
      """
      INSERT INTO accepted
        (session, request, place, at, runs, action, in_array, key, body, failure, principal,
          send_name, context)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
      """)
    insertOutcome = try connection.prepare(
      """
      INSERT INTO outcomes (session, key, body, at, version, failure)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    insertTimer = try connection.prepare(
      """
      INSERT INTO timers (session, id, due, action, period, catches_up)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """)
    insertFailure = try connection.prepare(
      """
      INSERT INTO failures (id, reactor, session, at, action, principal, context, failure)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """)
    insertGlobal = try connection.prepare(
      "INSERT INTO globals (session, name, revision) VALUES (?1, ?2, ?3)")
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

  mutating func insert(_ line: ImportedLine, size: Int) throws {
    do throws(DatabaseError) {
      try insert(line)
    } catch {
      guard error.concernsOneStatement else { throw error }
      throw InvalidLine("cannot be inserted: \(error)")
    }
    switch line {
    case .session where insertSession.changeCount == 0:
      throw InvalidLine("names a session that exists")
    case .global where insertShared.changeCount == 0:
      throw InvalidLine("names a global that exists")
    default: break
    }
  }

  private mutating func insert(_ line: ImportedLine) throws(DatabaseError) {
    switch line {
    case .session(let new):
      session += 1
      reactor = new.key.reactor
      chain = EntryChain.seed(new.epoch)
      try insertSession.execute(
        reactor, new.key.id, session, new.epoch, new.created, new.isEnded, new.parameters)
    case .global(let name, let value):
      try insertShared.execute(name, value.epoch, value.version, value.revision, value.json)
    case .snapshot(let snapshot):
      try insertSnapshot.execute(session, snapshot.version, snapshot.state, snapshot.schema)
    case .entry(let entry):
      chain = EntryChain.checksum(of: entry, after: chain)
      try insertMutation.execute(
        session, entry.version, entry.at, entry.action, entry.global?.name, entry.global?.revision,
        entry.mutation, chain, entry.by)
    case .accepted(let action):
      try insertAccepted.execute(
        session, action.id.request, action.id.place, action.at, action.runs, action.action,
        action.isInArray, action.key?.name, action.key?.body, action.failure?.json,
        action.principal, action.sendName, action.context)
    case .outcome(let outcome):
      try insertOutcome.execute(
        session, outcome.key.name, outcome.key.body, outcome.at, outcome.version,
        outcome.failure?.json)
    case .timer(let timer):
      try insertTimer.execute(
        session, timer.id, timer.due, timer.action, timer.period, timer.catchesUp)
    case .failure(let failure):
      try insertFailure.execute(
        failure.id, reactor, session, failure.at, failure.action, failure.principal,
        failure.context, failure.failure.json)
    }
  }

  func finish(_ history: ImportedHistory) throws(DatabaseError) {
    for (name, revision) in history.globals { try insertGlobal.execute(session, name, revision) }
    let seed = EntryChain.seed(history.session.epoch)
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

  func keep() throws(DatabaseError) { try connection.execute("RELEASE part; SAVEPOINT part") }

  func discard() throws(DatabaseError) { try connection.execute("ROLLBACK TO part") }
}
