package import ReactorLog
internal import Synchronization
internal import SystemThreads
package import Telemetry

/// A durable log in PostgreSQL, which several processes may write to.
///
/// A complete write is as durable as a commit of the database. Concurrent writes share a commit. Reads block the
/// calling thread.
package final class PostgresLog: MutationLog {
  /// The properties of a store.
  package struct Settings: Sendable {
    /// The database.
    package var address: PostgresAddress

    /// The schema of the tables, which is created if it is missing.
    package var schema = "reactord"

    /// The name of this process for others.
    package var node = ""

    /// How long a request waits for the database.
    package var wait = Duration.seconds(10)

    /// How much of the sessions' logs is retained.
    package var retention = RetentionRules()

    /// How long the outcomes of idempotency keys are retained.
    package var outcomeRetention = IdempotencyKey.retention

    /// How long the changes of all sessions are retained; zero for not at all.
    package var changeRetention = Duration.zero

    /// Creates the properties of a store.
    package init(_ address: PostgresAddress) { self.address = address }
  }

  let map = ShardMap()
  let database: Database
  private let forks: ForkRunner
  /// The revisions of the globals that this process has read or set last.
  private let revisions = Mutex<[String: UInt64]>([:])

  /// The changes of all sessions in the order of commits, or `nil` if they are not retained.
  package let changes: (any ChangeFeed)?

  /// Opens a store; creates or migrates its tables.
  ///
  /// Blocks.
  ///
  /// - Parameters:
  ///   - settings: The properties of the store.
  ///   - logger: Logs when writes begin to fail, and when they succeed again.
  /// - Throws: If the database cannot be used.
  package init(_ settings: Settings, logger: Logger = .silent) throws(PostgresLogError) {
    let setup = try StoreSetup(settings.address, schema: settings.schema)
    try setup.prepare(logger: logger)
    let feed = try setup.prepareFeed(isKept: settings.changeRetention > .zero)
    let schema = DatabaseSchema.quoted(settings.schema)
    let publisher = feed.map { ChangePublisher(latest: $0.latest) }
    let rules = StoreRules(
      retention: settings.retention, outcomeRetention: settings.outcomeRetention,
      changeRetention: settings.changeRetention)
    let context = WriterContext(
      map: map, statements: GroupStatements(schema, hasFeed: feed != nil),
      writer: Int64.random(in: 1...Int64.max), hasFeed: feed != nil, schemas: rules.schemas)
    let upkeep = Upkeep(
      settings.address, schema: schema, rules, for: context.writer, publisher: publisher)
    guard
      let writer = GroupWriter(
        context, at: settings.address, schema: schema, named: settings.node, wait: settings.wait,
        publisher: publisher, logger: logger), writer.start(), upkeep.start()
    else { throw PostgresLogError("cannot create a thread for the store") }
    let readers = ReadConnections(settings.address, wait: settings.wait)
    let database = Database(writer, readers, upkeep, schema: schema)
    self.database = database
    forks = ForkRunner(database, hasFeed: feed != nil)
    if let feed, let publisher {
      changes = StoredFeed(named: feed.name, publisher, .init(database, logger: logger))
    } else {
      changes = nil
    }
  }

  /// Opens a store for reading: writes fail, and nothing is deleted.
  ///
  /// Blocks. Can be open while services use the store.
  ///
  /// - Parameter settings: The properties of the store.
  /// - Throws: If the tables are not those of this release.
  package init(reading settings: Settings) throws(PostgresLogError) {
    try StoreSetup(settings.address, schema: settings.schema).checkTables()
    let schema = DatabaseSchema.quoted(settings.schema)
    let rules = StoreRules(
      retention: settings.retention, outcomeRetention: settings.outcomeRetention,
      changeRetention: .zero)
    let context = WriterContext(
      map: map, statements: GroupStatements(schema, hasFeed: false), writer: 0, hasFeed: false,
      schemas: rules.schemas)
    guard
      let writer = GroupWriter(
        context, at: settings.address, schema: schema, named: settings.node, wait: settings.wait,
        publisher: nil, logger: .silent)
    else { throw PostgresLogError("no descriptors are left for the store") }
    writer.close()
    database = Database(
      writer, ReadConnections(settings.address, wait: settings.wait),
      Upkeep(settings.address, schema: schema, rules, for: 0, publisher: nil), schema: schema)
    forks = ForkRunner(database, hasFeed: false)
    forks.close()
    changes = nil
  }

  deinit { close(within: .zero) }

  /// Closes the log: blocks until all writes are complete, including writes of completions.
  ///
  /// Later reads and writes fail with `LogError.unavailable`. Must not be called from a completion of a write.
  ///
  /// - Parameter time: The maximum time to wait.
  /// - Returns: Whether everything is complete.
  @discardableResult
  package func close(within time: Duration = .seconds(60)) -> Bool {
    let deadline = ContinuousClock.now + time
    if time > .zero { database.writer.waitUntilIdle(within: time) }
    database.writer.close()
    database.upkeep.close()
    forks.close()
    database.readers.close()
    return time > .zero ? database.writer.waitUntilEnded(within: deadline - .now) : false
  }

  /// The reason why writes fail, or `nil` if they succeed.
  package var failure: LogError? { database.writer.health.failure }

  /// `true`: reading calls block on the database.
  package var readsFromDisk: Bool { true }

  /// The number of this process in the rows that it has written last.
  package var incarnation: UInt64 { UInt64(bitPattern: database.writer.context.writer) }

  private func stored(_ key: SessionKey) -> StoredKey {
    StoredKey(shard: map.shard(of: key), key: key)
  }

  /// The log of a session.
  package func session(_ key: SessionKey) -> any SessionLog {
    PostgresSessionLog(stored(key), in: database)
  }

  /// Creates a session with a copy of another session's history up to a version.
  ///
  /// The copy is one transaction beside those of other writes. The host bounds the number of unfinished copies.
  package func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError) {
    try await forks.run(
      ForkRunner.Fork(
        source: stored(source), cursor: cursor, target: stored(target), epoch: epoch,
        parameters: parameters, types: database.writer.context.schemas[target.reactor]))
  }

  /// Lists the stored sessions of a reactor that have not ended.
  package func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    try database.read { (reader) throws(PostgresError) in
      try reader.sessions(of: reactor, after: id, limit: limit)
    }
  }

  /// Lists the sessions with accepted actions that have not finished.
  package func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    try database.read { (reader) throws(PostgresError) in
      try reader.unfinishedSessions(after: key, limit: limit)
    }
  }

  /// Reads the timers that are due.
  package func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers {
    try database.read { (reader) throws(PostgresError) in
      try reader.dueTimers(after: position, until: time, limit: limit)
    }
  }

  /// Counts the timers.
  package func timerCount() throws(LogError) -> Int {
    try database.read { (reader) throws(PostgresError) in
      try reader.rows(reader.statements.countTimers, Parameters()).first(as: Int.self) ?? 0
    }
  }

  /// Reads values that a release must be able to decode.
  package func samples(
    after position: SamplePosition, within time: Duration
  ) throws(LogError) -> SamplePage {
    try database.read { (reader) throws(PostgresError) in
      try reader.samples(after: position, within: time, schema: database.schema)
    }
  }

  /// Lists the stored failures of a reactor; damaged ones are skipped.
  package func failures(
    of reactor: String
  ) throws(LogError) -> [StoredFailure] {
    try database.read { (reader) throws(PostgresError) in try reader.failures(of: reactor) }
  }

  /// Reads the current value of a global.
  package func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    let value = try database.read { (reader) throws(PostgresError) in
      try reader.sharedValue(name)
    }
    if let value { revisions.withLock { $0[name] = value.revision } }
    return value
  }

  /// Sets a global.
  package func share(_ value: SharedValue, as name: String) async throws(LogError) {
    // Further values of this process follow this one, also before it is stored.
    let known = revisions.withLock { $0.updateValue(value.revision, forKey: name) }
    let writer = database.writer
    do throws(LogError) {
      try await WriteOperation.share(value, name: name).execute {
        writer.write(PendingWrite($0, revision: known, deadline: writer.deadline))
      }
    } catch {
      // Unless another value was read or set in the meantime.
      revisions.withLock { if $0[name] == value.revision { $0[name] = nil } }
      throw error
    }
  }

  /// Confirms that the database can be reached, whose reads are never older.
  package func confirmReads() throws(LogError) {
    try database.read { (reader) throws(PostgresError) in
      _ = try reader.rows(reader.statements.confirm, Parameters())
    }
  }

  /// Permits retention to replace entries of a reactor's sessions by snapshots of a schema.
  package func willFold(_ reactor: String, schema: String) {
    database.writer.context.schemas.set(schema, of: reactor)
    database.upkeep.wake()
  }
}
