internal import ReactorLog
internal import Telemetry

extension PostgresMaintenance {
  /// Imports the export of any store, completely or not at all.
  ///
  /// - Parameters:
  ///   - report: Leaves out each session and global with a line that is damaged or invalid, or that exists, and
  ///     is called with a text about the first of these lines of each. `nil` leaves out nothing.
  ///   - next: Returns the next line, without its end, or `nil` after the last one.
  /// - Returns: The number of imported sessions.
  /// - Throws: If a line is invalid and `report` is `nil`; or the error of `next`.
  package func `import`(
    leavingOut report: ((String) -> Void)? = nil, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    try StoreSetup(address, schema: name).prepare(logger: .silent)
    do {
      let connection = try PostgresConnection.open(address)
      try connection.executeScript("begin; savepoint part", deadline: deadline)
      var lines = ImportSequence(into: ImportedRows(connection, self), leavingOut: report)
      let count = try lines.insert(next)
      // Closing the connection rolls back.
      try connection.executeScript("commit", deadline: deadline)
      return count
    } catch let error as ImportError {
      throw PostgresLogError(error.description, isInvalidInput: true)
    } catch let error as PostgresError {
      throw PostgresLogError("the store at \(address) cannot be written: \(error)")
    }
  }
}

/// The rows of an export that are inserted into a store.
private struct ImportedRows: ImportTarget {
  /// The rows of a session that are inserted together, and their size.
  private static let rowBound = 1000
  private static let byteBound = 4 << 20

  private let connection: PostgresConnection
  private let store: PostgresMaintenance
  private let map = ShardMap()
  private var session: ImportedLine.Session?
  private var history: Int64 = 0
  private var seed: UInt64 = 0
  private var rows: [GroupStatements.Part: RowArrays] = [:]
  private var snapshots: [Snapshot] = []
  private var count = 0
  private var bytes = 0

  init(_ connection: PostgresConnection, _ store: PostgresMaintenance) {
    self.connection = connection
    self.store = store
  }

  @discardableResult
  private func execute(_ sql: SQL, _ parameters: Parameters) throws -> Rows {
    do throws(PostgresError) {
      return try connection.execute(sql, parameters, deadline: store.deadline)
    } catch {
      guard error.concernsOneOperation else { throw error }
      throw InvalidLine("or a line before it cannot be inserted: \(error)")
    }
  }

  mutating func insert(_ line: ImportedLine, size: Int) throws {
    count += 1
    bytes += size
    switch line {
    case .session(let session): try begin(session)
    case .global(let name, let value): try insert(value, as: name)
    case .snapshot(let read): snapshots.append(read)
    case .entry(let entry):
      rows[.mutations, default: RowArrays()].append(
        entry.version, entry.at, entry.action, entry.global?.name, entry.global?.revision,
        entry.mutation, entry.by.map { Array($0.utf8) },
        EntryChain.checksum(of: entry, in: seed))
    case .accepted(let action):
      rows[.accepted, default: RowArrays()].append(
        action.id.request, action.id.place, action.at, action.runs, action.action, action.isInArray,
        action.key.map { Array($0.name.utf8) }, action.key?.body, action.failure?.json,
        action.principal, action.sendName, action.context)
    case .outcome(let outcome):
      rows[.outcomes, default: RowArrays()].append(
        Array(outcome.key.name.utf8), outcome.key.body, outcome.at, outcome.version,
        outcome.failure?.json)
    case .timer(let timer):
      rows[.timers, default: RowArrays()].append(
        timer.id, timer.due, timer.action, timer.period, timer.catchesUp)
    case .failure(let failure):
      rows[.failures, default: RowArrays()].append(
        failure.id, failure.at, failure.action, failure.principal, failure.context,
        failure.failure.json)
    }
    if count >= Self.rowBound || bytes >= Self.byteBound { try flush() }
  }

  private func insert(_ value: SharedValue, as name: String) throws {
    let made = try execute(
      SQL(
        """
        insert into \(store.schema).shared (shard, name, epoch, version, revision, value, writer, stamp)
        values (\(ShardMap.common), $1::text, $2::text, $3::int8, $4::int8, $5::bytea, 0, 0)
        on conflict (shard, name) do nothing
        """), .of(name, value.epoch, value.version, value.revision, value.json))
    guard made.changeCount > 0 else { throw InvalidLine("names a global that exists") }
  }

  private mutating func begin(_ next: ImportedLine.Session) throws {
    session = next
    seed = EntryChain.seed(next.epoch)
    let made = try execute(
      SQL(
        """
        insert into \(store.schema).sessions (shard, reactor, session, epoch, created, active, ended,
          parameters, writer, stamp)
        values ($1::int2, $2::text, $3::text, $4::text, $5::int8, $5::int8, $6::bool, $7::bytea, 0, 0)
        on conflict (shard, reactor, session) do nothing returning id
        """),
      .of(
        map.shard(of: next.key), next.key.reactor, next.key.id, next.epoch, next.created,
        next.isEnded, next.parameters))
    guard let id = try made.first(as: Int64.self) else {
      throw InvalidLine("names a session that exists")
    }
    history = id
  }

  private mutating func flush() throws {
    guard let session else { return }
    let shard = map.shard(of: session.key)
    for (part, arrays) in rows {
      var parameters = Parameters.of(shard, history)
      parameters.add(arrays)
      if part == .failures { parameters.add(session.key.reactor) }
      try execute(part.insertion(in: store.schema), parameters)
    }
    for snapshot in snapshots {
      try execute(
        SQL(
          """
          insert into \(store.schema).snapshots (shard, history, version, state, schema, checksum)
          values ($1::int2, $2::int8, $3::int8, $4::bytea, $5::text, $6::int8)
          """),
        .of(
          shard, history, snapshot.version, snapshot.state, snapshot.schema,
          EntryChain.checksum(of: snapshot, in: seed)))
    }
    forgetRows()
  }

  private mutating func forgetRows() { (rows, snapshots, count, bytes) = ([:], [], 0, 0) }

  mutating func finish(_ imported: ImportedHistory) throws {
    for (name, revision) in imported.globals {
      rows[.globals, default: RowArrays()].append(name, revision)
    }
    try flush()
    let session = imported.session
    try execute(
      SQL(
        """
        update \(store.schema).sessions set version = $2::int8, active = greatest(created, $3::int8)
        where shard = $1::int2 and id = $4::int8
        """),
      .of(
        map.shard(of: session.key), imported.version,
        imported.last?.at ?? Timestamp(milliseconds: session.created), history))
  }

  func keep() throws {
    try connection.executeScript("release part; savepoint part", deadline: store.deadline)
  }

  mutating func discard() throws {
    forgetRows()
    try connection.executeScript("rollback to part", deadline: store.deadline)
  }
}
