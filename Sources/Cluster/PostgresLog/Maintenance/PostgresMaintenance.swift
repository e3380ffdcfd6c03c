internal import ReactorLog
internal import SystemThreads
internal import Telemetry

/// Maintenance of a store in PostgreSQL on demand.
///
/// All calls block.
package struct PostgresMaintenance: Sendable {
  /// How long a statement may take, in milliseconds.
  private static let timeout: Int64 = 600_000

  let address: PostgresAddress
  let name: String
  var schema: String { DatabaseSchema.quoted(name) }

  /// Creates the maintenance of a store, without opening the store.
  package init(_ address: PostgresAddress, schema: String) {
    self.address = address
    name = schema
  }

  var deadline: Int64 { Clock.milliseconds + Self.timeout }

  /// Exports one state of the store as JSON, one object per line, in the format of a store in a file.
  ///
  /// Can run while services use the store. Checksums are neither verified nor exported. A damaged row is exported
  /// as the line `{"damaged":TABLE}`, and the others follow.
  ///
  /// - Parameter write: Receives each line, without its end. An error ends the export.
  /// - Throws: If the store cannot be read, or the error of `write`.
  package func export(_ write: ([UInt8]) throws -> Void) throws {
    try StoreSetup(address, schema: name).checkTables()
    let s = schema
    do {
      let connection = try PostgresConnection.open(address)
      func rows(
        _ text: String, _ parameters: Parameters = Parameters()
      ) throws(PostgresError) -> Rows {
        try connection.execute(SQL(text), parameters, deadline: deadline)
      }
      try connection.executeScript(
        "begin isolation level repeatable read read only", deadline: deadline)
      let globals = try rows(
        "select name, epoch, version, revision, value from \(s).shared order by name")
      for index in 0..<globals.count {
        let name = try globals.text(index, 0)
        var damage: [UInt8] = []
        damage.put("{\"damaged\":\"shared\",\"name\":", string: name)
        damage.put("}")
        try write(
          try line(orElse: damage) { () throws(PostgresError) in
            let (_, epoch, version, revision, json) = try globals.row(
              index, as: (String, String, Int, UInt64, [UInt8]).self)
            return ExportLines.global(
              name, SharedValue(epoch: epoch, version: version, revision: revision, json: json))
          })
      }
      try connection.executeScript(
        """
        declare exported no scroll cursor for
          select shard, id, reactor, session, epoch, created, ended, parameters from \(s).sessions
          order by reactor, ended, session
        """, deadline: deadline)
      while true {
        // The format of a cursor's rows is that of the statement that fetches them.
        let page = try rows("fetch 200 from exported")
        guard page.count > 0 else { break }
        for index in 0..<page.count { try export(page, index, rows, write) }
      }
      try connection.executeScript("commit", deadline: deadline)
    } catch let error as PostgresError {
      throw PostgresLogError("the store at \(address) cannot be read: \(error)")
    }
  }

  private func export(
    _ sessions: Rows, _ index: Int,
    _ rows: (String, Parameters) throws(PostgresError) -> Rows,
    _ write: ([UInt8]) throws -> Void
  ) throws {
    let s = schema
    let (shard, history, reactor, session, epoch, created, isEnded, parameters) = try sessions.row(
      index, as: (Int64, Int64, String, String, String, Int64, Bool, [UInt8]?).self)
    let key = SessionKey(reactor: reactor, id: session)
    let own = "where shard = $1::int2 and history = $2::int8"
    let row = Parameters.of(Int16(truncatingIfNeeded: shard), history)
    let marks = try rows("select name, revision from \(s).globals \(own)", row)
    let globals = try marks.map(as: (String, UInt64).self) { ($0, $1) }
    var damage: [UInt8] = []
    damage.put("{\"damaged\":\"session\",\"name\":", string: "\(reactor)/\(session)")
    damage.put("}")
    try write(
      try line(orElse: damage) { () throws(PostgresError) in
        ExportLines.session(
          key, epoch: isEnded && epoch.isEmpty ? Epoch.random() : epoch, created: created,
          parameters: parameters, globals: Dictionary(globals) { $1 }, isEnded: isEnded)
      })
    guard !isEnded else { return }
    func writeAll(
      _ table: String, _ rows: Rows, _ text: (Int) throws(PostgresError) -> [UInt8]
    ) throws {
      for index in 0..<rows.count {
        try write(
          try line(orElse: Array("{\"damaged\":\"\(table)\"}".utf8)) { () throws(PostgresError) in
            try text(index)
          })
      }
    }
    let snapshots = try rows(
      "select version, state, schema from \(s).snapshots \(own) order by version", row)
    try writeAll("snapshots", snapshots) { (index) throws(PostgresError) in
      let (version, state, schema) = try snapshots.row(index, as: (Int, [UInt8], String).self)
      return ExportLines.snapshot(Snapshot(version: version, state: state, schema: schema))
    }
    var last = Int.min
    while true {
      var page = row
      page.add(last)
      let entries = try rows(
        """
        select version, at, action, global, revision, mutation, principal from \(s).mutations \(own)
        and version > $3::int8 order by version limit 500
        """, page)
      guard entries.count > 0 else { break }
      try writeAll("mutations", entries) { (index) throws(PostgresError) in
        ExportLines.entry(try entries.entry(index))
      }
      last = try entries.row(entries.count - 1, as: Int.self)
    }
    let accepted = try rows(
      """
      select request, place, at, runs, action, in_array, key, body, failure, principal, send_name, context
      from \(s).accepted \(own) order by request, place
      """, row)
    try writeAll("accepted", accepted) { (index) throws(PostgresError) in
      ExportLines.accepted(try accepted.acceptedAction(index))
    }
    let outcomes = try rows(
      "select key, body, at, version, failure from \(s).outcomes \(own) order by at, key", row)
    try writeAll("outcomes", outcomes) { (index) throws(PostgresError) in
      let (name, body, at, version, failure) = try outcomes.row(
        index, as: ([UInt8], String, Timestamp, Int, [UInt8]?).self)
      return ExportLines.outcome(
        StoredOutcome(
          key: IdempotencyKey(stored: String(decoding: name, as: UTF8.self), body: body), at: at,
          version: version,
          failure: try failure.map { (json) throws(PostgresError) in try .stored(json) }))
    }
    let timers = try rows(
      "select id, due, action, period, catches_up from \(s).timers \(own) order by id", row)
    try writeAll("timers", timers) { (index) throws(PostgresError) in
      ExportLines.timer(try timers.timer(index))
    }
    let failures = try rows(
      "select id, at, action, principal, context, failure from \(s).failures \(own) order by number",
      row)
    try writeAll("failures", failures) { (index) throws(PostgresError) in
      let (id, at, action, principal, context, failure) = try failures.row(
        index, as: (String, Timestamp, [UInt8], [UInt8]?, [UInt8]?, [UInt8]).self)
      return ExportLines.failure(
        StoredFailure(
          id: id, session: session, at: at, action: action, principal: principal,
          context: context, failure: try .stored(failure)))
    }
  }

  /// Returns a line, or another one if an import would reject it.
  private func line(
    orElse damage: [UInt8], _ text: () throws(PostgresError) -> [UInt8]
  ) throws(PostgresError) -> [UInt8] {
    do throws(PostgresError) {
      let line = try text()
      return (try? ImportedLine(line)) == nil ? damage : line
    } catch {
      guard case .corrupt = error.logError else { throw error }
      return damage
    }
  }
}
