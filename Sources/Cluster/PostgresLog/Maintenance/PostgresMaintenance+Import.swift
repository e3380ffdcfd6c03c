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
      var lines = ImportedLines(connection, self)
      while let line = try next() { try lines.insert(line, leavingOut: report) }
      try lines.finish(leavingOut: report)
      // Closing the connection rolls back.
      try connection.executeScript("commit", deadline: deadline)
      return lines.sessionCount
    } catch let error as PostgresError {
      throw PostgresLogError("the store at \(address) cannot be written: \(error)")
    }
  }
}

/// Inserts the lines of an export.
private struct ImportedLines {
  /// The rows of a session that are inserted together, and their size.
  private static let rowBound = 1000
  private static let byteBound = 4 << 20

  private(set) var sessionCount = 0
  private let connection: PostgresConnection
  private let store: PostgresMaintenance
  private let map = ShardMap()
  private var line = 0
  private var session: ImportedLine.Session?
  /// The part of the export that the next lines belong to.
  private enum Part { case none, session, damagedSession, leftOut }
  private var part = Part.none
  private var history: Int64 = 0
  private var seed: UInt64 = 0
  private var last: LogEntry?
  private var snapshot = 0
  private var globals: [String: UInt64] = [:]
  private var rows: [GroupStatements.Part: RowArrays] = [:]
  private var snapshots: [Snapshot] = []
  private var count = 0
  private var bytes = 0

  init(_ connection: PostgresConnection, _ store: PostgresMaintenance) {
    self.connection = connection
    self.store = store
  }

  mutating func insert(_ text: [UInt8], leavingOut report: ((String) -> Void)?) throws {
    line += 1
    guard !text.isEmpty else { return }
    try leavingOut(report) { (lines) throws in try lines.insert(text) }
  }

  mutating func finish(leavingOut report: ((String) -> Void)?) throws {
    try leavingOut(report) { (lines) throws in try lines.finishSession() }
  }

  private mutating func leavingOut(
    _ report: ((String) -> Void)?, _ body: (inout ImportedLines) throws -> Void
  ) throws {
    do {
      try body(&self)
    } catch let error as PostgresLogError where report != nil && error.isInvalidInput {
      if part != .leftOut { report?(error.description) }
      try connection.executeScript("rollback to part", deadline: store.deadline)
      if part == .session { sessionCount -= 1 }
      // A global is one line; a session is left out with all of its lines.
      if part != .none { part = .leftOut }
    }
  }

  private func invalid(_ reason: String) -> PostgresLogError {
    PostgresLogError("line \(line) is invalid: it \(reason)", isInvalidInput: true)
  }

  @discardableResult
  private func execute(_ sql: SQL, _ parameters: Parameters) throws -> Rows {
    do throws(PostgresError) {
      return try connection.execute(sql, parameters, deadline: store.deadline)
    } catch {
      guard error.concernsOneOperation else { throw error }
      throw PostgresLogError(
        "line \(line) is invalid, or its session exists: \(error)", isInvalidInput: true)
    }
  }

  private mutating func insert(_ text: [UInt8]) throws {
    guard let read = ImportedLine(text) else {
      if text.starts(with: #"{"damaged":"session""#.utf8) {
        try finishSession()
        part = .damagedSession
      }
      throw invalid("is not a line of an export, or is damaged in the exported store")
    }
    if case .session(let next) = read {
      try finishSession()
      try begin(next, isPlausible: read.isPlausible)
      return
    }
    if case .global(let name, let value) = read {
      try finishSession()
      guard read.isPlausible else { throw invalid("has a number out of range") }
      let made = try execute(
        SQL(
          """
          insert into \(store.schema).shared (shard, name, epoch, version, revision, value, writer, stamp)
          values (\(ShardMap.common), $1::text, $2::text, $3::int8, $4::int8, $5::bytea, 0, 0)
          on conflict (shard, name) do nothing
          """), .of(name, value.epoch, value.version, value.revision, value.json))
      guard made.changeCount > 0 else { throw invalid("names a global that exists") }
      return
    }
    guard part != .leftOut else { return }
    guard part == .session else { throw invalid("belongs to no session") }
    guard read.isPlausible else { throw invalid("has a number or a time out of range") }
    add(read, size: text.count)
    guard try isNext(read) else { throw invalid("does not follow the one before") }
    if count >= Self.rowBound || bytes >= Self.byteBound { try flush() }
  }

  private mutating func begin(_ next: ImportedLine.Session, isPlausible: Bool) throws {
    session = next
    (part, last, snapshot, globals) = (.session, nil, 0, [:])
    seed = EntryChain.seed(next.epoch)
    (rows, snapshots, count, bytes) = ([:], [], 0, 0)
    sessionCount += 1
    guard isPlausible else { throw invalid("has an invalid session id, epoch or time") }
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
      throw invalid("names a session that exists")
    }
    history = id
  }

  /// Whether a line can follow the ones before it.
  private mutating func isNext(_ line: ImportedLine) throws -> Bool {
    switch line {
    case .snapshot(let read): snapshot = max(snapshot, read.version)
    case .entry(let entry):
      let follows =
        if let last { entry.version == last.version + 1 } else { entry.version <= snapshot + 1 }
      guard follows else { return false }
      last = entry
      if let global = entry.global { globals[global.name] = global.revision }
    default: break
    }
    return true
  }

  private mutating func add(_ line: ImportedLine, size: Int) {
    count += 1
    bytes += size
    switch line {
    case .session, .global: break
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
    (rows, snapshots, count, bytes) = ([:], [], 0, 0)
  }

  /// Completes the session that was begun last.
  private mutating func finishSession() throws {
    guard let session, part == .session else { return part = .none }
    // Entries have the revisions that retention has not deleted; earlier releases export no others.
    let marks = globals.merging(session.globals) { $1 }
    for (name, revision) in marks {
      rows[.globals, default: RowArrays()].append(name, revision)
    }
    try flush()
    try execute(
      SQL(
        """
        update \(store.schema).sessions set version = $2::int8, active = greatest(created, $3::int8)
        where shard = $1::int2 and id = $4::int8
        """),
      .of(
        map.shard(of: session.key), max(last?.version ?? 0, snapshot),
        last?.at ?? Timestamp(milliseconds: session.created), history))
    try connection.executeScript("release part; savepoint part", deadline: store.deadline)
    part = .none
  }
}
