internal import ReactorHost

extension SQLiteMaintenance {
  /// Reads what ``export(_:)`` has written, all of it or nothing.
  ///
  /// - Parameter next: Gives the next line, without its end; `nil` after the last one.
  /// - Returns: How many sessions were read.
  /// - Throws: Where a daemon uses the store, a line is none of an export, or one of its sessions is
  ///   stored already; or what `next` throws.
  public func `import`(_ next: () throws -> [UInt8]?) throws -> Int {
    var count = 0
    var failure: (any Error)?
    try exclusively { (connection) throws(DatabaseError) in
      try connection.execute("BEGIN IMMEDIATE")
      var reading = try ImportedLines(into: connection)
      do {
        while let line = try next() { try reading.take(line) }
        try reading.finish()
        try connection.execute("COMMIT")
        count = reading.sessionCount
      } catch {
        // The transaction ends with the connection, and nothing was read.
        failure = error
      }
    }
    if let failure { throw failure }
    return count
  }
}

/// Puts the lines of an export into a database.
private struct ImportedLines {
  private(set) var sessionCount = 0

  private let look: Statement
  private let insertSession: Statement
  private let insertSnapshot: Statement
  private let insertMutation: Statement
  private let insertAccepted: Statement
  private let insertShared: Statement
  private let insertOutcome: Statement
  private let markGlobals: Statement
  private var line = 0
  private var session: Int64
  private var last: Int?
  private var snapshot = 0

  init(into connection: Connection) throws(DatabaseError) {
    session = try connection.integer(
      """
      SELECT max(
        coalesce((SELECT max(id) FROM sessions), 0), coalesce((SELECT max(session) FROM removals), 0))
      """)
    look = try connection.prepare(
      """
      SELECT json_type(?1, '$.session'), json_type(?1, '$.snapshot'), json_type(?1, '$.version'),
        json_extract(?1, '$.snapshot'), json_extract(?1, '$.version'),
        json_type(?1, '$.accepted'), json_type(?1, '$.outcome'), json_type(?1, '$.shared')
      WHERE json_valid(?1)
      """)
    // The name of a reactor has no slash in it.
    insertSession = try connection.prepare(
      """
      INSERT INTO sessions (id, reactor, session, epoch, created, ended)
      SELECT ?2, substr(name, 1, instr(name, '/') - 1), substr(name, instr(name, '/') + 1),
        json_extract(?1, '$.epoch'), json_extract(?1, '$.created'),
        json_extract(?1, '$.ended') IS 1
      FROM (SELECT json_extract(?1, '$.session') AS name)
      """)
    insertSnapshot = try connection.prepare(
      """
      INSERT INTO snapshots (session, version, state, schema)
      SELECT ?2, json_extract(?1, '$.snapshot'), ?1 -> '$.state',
        coalesce(json_extract(?1, '$.schema'), '')
      """)
    insertMutation = try connection.prepare(
      """
      INSERT INTO mutations (session, version, at, action, global, revision, mutation)
      SELECT ?2, json_extract(?1, '$.version'), json_extract(?1, '$.at'), ?1 -> '$.action',
        json_extract(?1, '$.global'), json_extract(?1, '$.revision'), ?1 -> '$.mutation'
      """)
    insertShared = try connection.prepare(
      """
      INSERT INTO shared (name, epoch, version, revision, value)
      SELECT json_extract(?1, '$.shared'), json_extract(?1, '$.epoch'), json_extract(?1, '$.of'),
        json_extract(?1, '$.revision'), ?1 -> '$.value'
      """)
    insertAccepted = try connection.prepare(
      """
      INSERT INTO accepted
        (session, request, place, at, runs, action, in_array, key, body, failure)
      SELECT ?2, json_extract(?1, '$.accepted'), json_extract(?1, '$.place'),
        json_extract(?1, '$.at'), json_extract(?1, '$.runs'), ?1 -> '$.action',
        json_extract(?1, '$.inArray') IS 1, json_extract(?1, '$.key'), json_extract(?1, '$.body'),
        ?1 -> '$.failure'
      """)
    insertOutcome = try connection.prepare(
      """
      INSERT INTO outcomes (session, key, body, at, version, failure)
      SELECT ?2, json_extract(?1, '$.outcome'), json_extract(?1, '$.body'),
        json_extract(?1, '$.at'), json_extract(?1, '$.of'), ?1 -> '$.failure'
      """)
    markGlobals = try connection.prepare(
      """
      INSERT INTO globals (session, name, revision)
      SELECT ?1, global, revision FROM (
        SELECT global, revision, max(version) FROM mutations
        WHERE session = ?1 AND global IS NOT NULL GROUP BY global)
      """)
  }

  mutating func take(_ text: [UInt8]) throws {
    line += 1
    guard !text.isEmpty else { return }
    do throws(DatabaseError) {
      try look.bind(1, utf8: text)
      guard try look.step() else { throw refusal("is not JSON") }
      defer { look.reset() }
      if look.text(0) == "text" {
        try begin(text)
      } else if look.text(1) == "integer", sessionCount > 0 {
        snapshot = max(snapshot, look.number(3))
        try insert(text, with: insertSnapshot)
      } else if look.text(2) == "integer", sessionCount > 0 {
        let version = look.number(4)
        guard version == (last ?? 0) + 1 || last == nil && version <= snapshot + 1 else {
          throw refusal("has version \(version), which does not follow what is before it")
        }
        last = version
        try insert(text, with: insertMutation)
      } else if look.text(5) == "integer", sessionCount > 0 {
        try insert(text, with: insertAccepted)
      } else if look.text(6) == "text", sessionCount > 0 {
        try insert(text, with: insertOutcome)
      } else if look.text(7) == "text" {
        try insertShared.bind(1, utf8: text)
        try insertShared.run()
      } else {
        throw refusal("is no line of an export")
      }
    } catch {
      guard error.concernsOneStatement else { throw error }
      throw SQLiteLogError(
        .unsuitable, "line \(line) cannot be read, or its session is stored: \(error)")
    }
  }

  mutating func finish() throws(DatabaseError) {
    guard sessionCount > 0 else { return }
    try markGlobals.bind(1, session)
    try markGlobals.run()
  }

  private mutating func begin(_ text: [UInt8]) throws(DatabaseError) {
    try finish()
    session += 1
    sessionCount += 1
    last = nil
    snapshot = 0
    try insert(text, with: insertSession)
  }

  private func insert(_ text: [UInt8], with statement: Statement) throws(DatabaseError) {
    try statement.bind(1, utf8: text)
    try statement.bind(2, session)
    try statement.run()
  }

  private func refusal(_ reason: String) -> DatabaseError {
    DatabaseError(code: .constraint, message: "it \(reason)", systemError: 0)
  }
}
