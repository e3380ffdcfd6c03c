internal import ReactorLog

/// Looks for damage in a store: one state of it, that of the transaction of the connection.
struct DatabaseCheck {
  private static let rowsPerPage = 200

  private let connection: PostgresConnection
  private let s: String
  private let deadline: () -> Int64
  private var findings: [String] = []

  init(_ connection: PostgresConnection, schema: String, deadline: @escaping () -> Int64) {
    self.connection = connection
    s = schema
    self.deadline = deadline
  }

  /// Checks everything.
  ///
  /// - Returns: The findings, one line each.
  consuming func check() throws(PostgresError) -> [String] {
    try checkEntries()
    try checkExtents()
    try checkSnapshots()
    try checkOwners()
    try checkValues()
    return findings
  }

  private func rows(_ text: String) throws(PostgresError) -> Rows {
    try connection.execute(SQL(text), deadline: deadline())
  }

  /// Calls a body with each row of a statement.
  private func forEachRow(
    of text: String, _ body: (Rows, Int) throws(PostgresError) -> Void
  ) throws(PostgresError) {
    try connection.executeScript(
      "declare checked no scroll cursor for \(text)", deadline: deadline())
    while case let page = try rows("fetch \(Self.rowsPerPage) from checked"), page.count > 0 {
      for index in 0..<page.count { try body(page, index) }
    }
    try connection.executeScript("close checked", deadline: deadline())
  }

  /// Checks that each log has all versions from the first to the last one, and that the checksums match.
  private mutating func checkEntries() throws(PostgresError) {
    var session = ""
    var last: Int?
    var found: [String] = []
    try forEachRow(
      of: """
        select m.version, m.at, m.action, m.global, m.revision, m.mutation, m.principal, m.checksum, s.epoch,
          s.reactor || '/' || s.session
        from \(s).mutations m join \(s).sessions s on s.shard = m.shard and s.id = m.history
        where not s.ended order by m.shard, m.history, m.version
        """
    ) { (rows, index) throws(PostgresError) in
      let name = try rows.text(index, 9)
      if name != session { (session, last) = (name, nil) }
      let (entry, damage) = try rows.verifiedEntry(index)
      if let last, entry.version > last + 1 {
        found.append("\(session): version \(last + 1) is missing")
      }
      if let damage { found.append("\(session): \(damage)") }
      last = max(last ?? entry.version, StoredValues.counts.nearest(entry.version))
    }
    findings += found
  }

  /// Checks that each log ends with the version of its session; and begins with version 1, or has a snapshot that
  /// replaces the missing entries.
  private mutating func checkExtents() throws(PostgresError) {
    var found: [String] = []
    try forEachRow(
      of: """
        select name, version, first, last, snapshot, exists (select from \(s).snapshots n
            where n.shard = e.shard and n.history = e.id and n.version between first - 1 and last)
        from (
          select s.shard, s.id, s.reactor || '/' || s.session as name, s.version,
            coalesce(m.first, 0) as first, coalesce(m.last, 0) as last, coalesce(n.snapshot, 0) as snapshot
          from \(s).sessions s
          left join (select shard, history, min(version) as first, max(version) as last
            from \(s).mutations group by shard, history) m on m.shard = s.shard and m.history = s.id
          left join (select shard, history, max(version) as snapshot
            from \(s).snapshots group by shard, history) n on n.shard = s.shard and n.history = s.id
          where not s.ended) e
        where version <> greatest(last, snapshot) or first > 1 or first < 0 or last > 0 and first < 1
        """
    ) { (rows, index) throws(PostgresError) in
      let (name, version, first, last, snapshot, isReplaced) = try rows.row(
        index, as: (String, Int, Int, Int, Int, Bool).self)
      if version != max(last, snapshot) {
        found.append(
          "\(name): the session has version \(version), and the log ends with \(max(last, snapshot))"
        )
      }
      if first < 1 && last > 0 || first > 1 && !isReplaced {
        found.append("\(name): the log begins with version \(first), without a snapshot")
      }
    }
    findings += found
  }

  private mutating func checkSnapshots() throws(PostgresError) {
    var found: [String] = []
    try forEachRow(
      of: """
        select s.reactor || '/' || s.session, s.epoch, n.version, n.state, n.schema, n.checksum
        from \(s).snapshots n join \(s).sessions s on s.shard = n.shard and s.id = n.history
        where not s.ended order by n.shard, n.history, n.version
        """
    ) { (rows, index) throws(PostgresError) in
      let (name, epoch, version, state, schema, checksum) = try rows.row(
        index, as: (String, String, Int, [UInt8], String, UInt64).self)
      let snapshot = Snapshot(version: version, state: state, schema: schema)
      if checksum != EntryChain.checksum(of: snapshot, in: EntryChain.seed(epoch)) {
        found.append("\(name): the snapshot of version \(version) does not match its checksum")
      }
    }
    findings += found
  }

  /// Checks that no row belongs to a history without a session.
  private mutating func checkOwners() throws(PostgresError) {
    for table in ["mutations", "snapshots", "accepted", "outcomes", "timers", "failures"] {
      let rows = try rows(
        """
        select history, count(*) from \(s).\(table) t
        where not exists (select from \(s).sessions s where s.shard = t.shard and s.id = t.history)
          and not exists (select from \(s).removals r where r.shard = t.shard and r.history = t.history)
        group by history order by history
        """)
      for (history, count) in try rows.map(as: (Int64, Int).self, { ($0, $1) }) {
        findings.append(
          "\(table): \(count) rows of the history \(history), which no session has")
      }
    }
  }

  /// Checks the numbers and times that no checksum covers.
  private mutating func checkValues() throws(PostgresError) {
    func areIn(_ range: ClosedRange<some BinaryInteger>, _ columns: String...) -> String {
      columns.map { "\($0) between \(range.lowerBound) and \(range.upperBound)" }
        .joined(separator: " and ")
    }
    let (counts, times) = (StoredValues.counts, StoredValues.times)
    let period = "(period is null or \(areIn(StoredValues.periods, "period")))"
    let tables = [
      ("sessions", areIn(times, "created", "active") + " and " + areIn(counts, "version")),
      ("snapshots", areIn(counts, "version")),
      ("accepted", areIn(counts, "request", "place", "runs") + " and " + areIn(times, "at")),
      ("outcomes", areIn(counts, "version") + " and " + areIn(times, "at")),
      ("timers", areIn(times, "due") + " and " + period),
      ("failures", areIn(times, "at")),
      ("shared", areIn(counts, "version")),
      ("changes", areIn(counts, "number", "version", "first") + " and " + areIn(times, "at")),
    ]
    for (table, condition) in tables {
      let found = try rows("select count(*) from \(s).\(table) where (\(condition)) is not true")
      let count = try found.first(as: Int.self) ?? 0
      if count > 0 { findings.append("\(table): \(count) rows with an invalid value") }
    }
  }
}

extension PostgresMaintenance {
  /// Verifies the checksums of all logs and snapshots, and the values of the other rows.
  ///
  /// Can run while services use the store.
  ///
  /// - Returns: The findings, one line each; empty for an undamaged store.
  /// - Throws: If the store cannot be read.
  package func check() throws(PostgresLogError) -> [String] {
    try reading { (connection) throws(PostgresError) in
      try DatabaseCheck(connection, schema: schema) { deadline }.check()
    }
  }

  /// Counts the sessions of each reactor, in the order of the names.
  ///
  /// Can run while services use the store.
  ///
  /// - Throws: If the store cannot be read.
  package func countSessions() throws(PostgresLogError) -> [(reactor: String, count: Int)] {
    try reading { (connection) throws(PostgresError) in
      try connection.execute(
        SQL(
          "select reactor, count(*) from \(schema).sessions where not ended group by reactor order by reactor"
        ), deadline: deadline
      ).map(as: (String, Int).self) { (reactor: $0, count: $1) }
    }
  }

  private func reading<Value>(
    _ body: (PostgresConnection) throws(PostgresError) -> Value
  ) throws(PostgresLogError) -> Value {
    try StoreSetup(address, schema: name).checkTables()
    do throws(PostgresError) {
      let connection = try PostgresConnection.open(address)
      try connection.executeScript(
        "begin isolation level repeatable read read only", deadline: deadline)
      let value = try body(connection)
      try connection.executeScript("commit", deadline: deadline)
      return value
    } catch {
      throw PostgresLogError("the store at \(address) cannot be read: \(error)")
    }
  }
}
