internal import ReactorLog
internal import SystemThreads
internal import Telemetry

/// Checks a database and creates the tables, when a store is opened.
struct StoreSetup {
  /// The earliest version of PostgreSQL.
  private static let earliest = 130_000
  /// How long a statement may take, in milliseconds; a migration waits for another process's.
  private static let timeout: Int64 = 600_000

  private let connection: PostgresConnection
  private let address: PostgresAddress
  private let name: String
  private var schema: String { DatabaseSchema.quoted(name) }

  /// Connects to the database.
  ///
  /// - Throws: A temporary error if it cannot be reached.
  init(_ address: PostgresAddress, schema name: String) throws(PostgresLogError) {
    self.address = address
    self.name = name
    guard !name.isEmpty, name.utf8.count <= 63, !name.utf8.contains(0), !name.hasPrefix("pg_")
    else {
      throw PostgresLogError(
        "the name of the schema \"\(name)\" needs 1 to 63 bytes and must not begin with pg_")
    }
    connection = try Self.connection(to: address)
  }

  private static func connection(
    to address: PostgresAddress
  ) throws(PostgresLogError) -> PostgresConnection {
    var wasRejecting = false
    while true {
      do throws(PostgresError) {
        return try PostgresConnection.open(address)
      } catch {
        // A server that is starting can admit this user by now, and rejects it only if it rejects a second attempt.
        let isRejecting = PostgresConnection.isRejecting(address)
        guard isRejecting, !wasRejecting else {
          throw PostgresLogError(
            "cannot connect to \(address): \(error)", isTemporary: !isRejecting)
        }
        wasRejecting = true
      }
    }
  }

  private var deadline: Int64 { Clock.milliseconds + Self.timeout }

  /// Checks the server, and creates or migrates the tables.
  func prepare(logger: Logger) throws(PostgresLogError) {
    let version = connection.serverVersion
    guard version >= Self.earliest else {
      throw PostgresLogError(
        "\(address) is PostgreSQL \(version / 10_000): use \(Self.earliest / 10_000) or later")
    }
    if let encoding = connection.reported("server_encoding"), encoding != "UTF8" {
      throw PostgresLogError(
        "the database of \(address) has the encoding \(encoding): create it with the encoding UTF8")
    }
    var stored = try mappingErrors { () throws(PostgresError) in
      let settings = try connection.execute(
        """
        select current_setting('transaction_read_only')::text, current_setting('synchronous_commit')::text,
          current_setting('fsync')::text
        """, deadline: deadline)
      guard
        let (readOnly, commit, sync) = try settings.first(as: (String, String, String).self)
      else { throw .damaged("the settings of the server") }
      guard readOnly != "on" else {
        throw PostgresError(
          state: "25006",
          message:
            "the server accepts no writes, such as a standby: name all hosts in the address, and add "
            + "target_session_attrs=read-write")
      }
      if commit == "off" || sync == "off" {
        logger.warning(
          "a crash of the database loses acknowledged actions",
          ["synchronous_commit": commit, "fsync": sync])
      }
      return try storedVersion() ?? 0
    }
    if stored < DatabaseSchema.version {
      stored = try mappingErrors { () throws(PostgresError) in try migrate() }
    }
    guard stored <= DatabaseSchema.version else { throw laterRelease(stored) }
  }

  private func laterRelease(_ version: Int) -> PostgresLogError {
    PostgresLogError(
      "the tables at \(address) have version \(version) of a later release, and this one has "
        + "\(DatabaseSchema.version): use that release")
  }

  /// Checks that the tables exist and are those of this release, without a change of them.
  func checkTables() throws(PostgresLogError) {
    let stored = try mappingErrors { () throws(PostgresError) in try storedVersion() }
    guard stored != DatabaseSchema.version else { return }
    if let stored, stored > DatabaseSchema.version { throw laterRelease(stored) }
    throw PostgresLogError(
      stored.map {
        "the tables at \(address) have version \($0) of an earlier release: a start of the service migrates them"
      } ?? "the database at \(address) has no store in the schema \(schema): cluster.name names it")
  }

  /// The version of the tables, or `nil` if there are none.
  private func storedVersion() throws(PostgresError) -> Int? {
    // Read from the tables of the catalog: functions such as to_regclass can miss what another process has
    // created since this transaction began.
    let found = try connection.execute(
      """
      select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n
        on n.oid = c.relnamespace where n.nspname = $1::text and c.relname = 'tables')
      """, .of(name), deadline: deadline)
    guard try found.isTrue() else { return nil }
    let rows = try connection.execute(
      SQL("select version from \(schema).tables"), deadline: deadline)
    return try rows.first(as: Int.self)
  }

  /// Migrates the tables unless another process has done it meanwhile.
  ///
  /// - Returns: The version that they have afterwards.
  private func migrate() throws(PostgresError) -> Int {
    // Another process can migrate at the same time: read the version again under the lock, which ends with
    // the transaction.
    try connection.executeScript("begin", deadline: deadline)
    try connection.execute(
      "select pg_advisory_xact_lock(7233187063412321380)", deadline: deadline)
    let stored = try storedVersion()
    let version = stored ?? 0
    guard version < DatabaseSchema.version else {
      try connection.executeScript("rollback", deadline: deadline)
      return version
    }
    if stored == nil {
      let found = try connection.execute(
        "select exists (select from pg_catalog.pg_namespace where nspname = $1::text)", .of(name),
        deadline: deadline)
      let create =
        try found.isTrue() ? "" : "create schema \(schema);"
      try connection.executeScript(
        "\(create) create table \(schema).tables (version bigint not null); "
          + "insert into \(schema).tables values (0)", deadline: deadline)
    }
    for migration in DatabaseSchema.migrations(in: schema)[version...] {
      try connection.executeScript(migration, deadline: deadline)
    }
    try connection.executeScript(
      "update \(schema).tables set version = \(DatabaseSchema.version); commit", deadline: deadline)
    return DatabaseSchema.version
  }

  /// Begins, continues or ends the feed of changes.
  ///
  /// - Returns: The name of the feed and the number of the last change, or `nil` if none are retained.
  func prepareFeed(isKept: Bool) throws(PostgresLogError) -> (name: String, latest: Int)? {
    try mappingErrors { () throws(PostgresError) in
      let feed = "\(schema).feed"
      guard isKept else {
        try connection.execute(
          SQL("update \(feed) set name = '' where name <> ''"), deadline: deadline)
        return nil
      }
      // A feed that was ended misses changes: it begins again with another name.
      try connection.execute(
        SQL(
          """
          with begun as (update \(feed) set name = $1::text, number = 0 where name = '' returning shard)
          delete from \(schema).changes where shard in (select shard from begun)
          """), .of(Epoch.random()), deadline: deadline)
      let rows = try connection.execute(
        SQL("select name, number from \(feed)"), deadline: deadline)
      guard let (name, latest) = try rows.first(as: (String, Int).self) else {
        throw .damaged("the feed")
      }
      return (name, latest)
    }
  }

  private func mappingErrors<Value>(
    _ body: () throws(PostgresError) -> Value
  ) throws(PostgresLogError) -> Value {
    do throws(PostgresError) {
      return try body()
    } catch {
      let remedy =
        error.state == "42501"
        ? "; the user needs the right to create the schema \(schema), or to own it" : ""
      throw PostgresLogError(
        "the store at \(address) cannot be used: \(error)\(remedy)",
        isTemporary: error.breaksConnection)
    }
  }
}
