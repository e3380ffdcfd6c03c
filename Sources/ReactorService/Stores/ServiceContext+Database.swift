#if PostgreSQL
  internal import Dispatch
  internal import Glibc
  internal import PostgresLog
  internal import ReactorHost
  internal import ReactorLog
  internal import TerminalClient

  extension ServiceContext {
    /// Opens a store in a database; blocks.
    func openDatabase(_ text: String) throws(ConfigurationError) -> OpenStore {
      var settings = PostgresLog.Settings(try Self.address(text))
      settings.schema = configuration.clusterName.text
      settings.node = nodeName
      settings.wait = configuration.clusterWait
      settings.retention = configuration.retention
      settings.outcomeRetention = configuration.host.idempotency
      settings.changeRetention = configuration.changeRetention
      do throws(PostgresLogError) {
        let log = try PostgresLog(settings, logger: logger)
        return OpenStore(log: log) { log.close(within: $0) }
      } catch {
        throw ConfigurationError(error)
      }
    }

    /// Reads the address of a database; an error does not contain the text, which may have a password.
    private static func address(_ text: String) throws(ConfigurationError) -> PostgresAddress {
      guard let address = PostgresAddress(text) else {
        throw .configuration(
          "store: the URL of the database is invalid; expected postgres://USER@HOST[,...]/DATABASE with the "
            + "parameters of libpq")
      }
      return address
    }

    /// Executes a maintenance task of a store in a database.
    func execute(_ task: StoreTask, atDatabase text: String) async throws {
      let store = PostgresMaintenance(
        try Self.address(text), schema: configuration.clusterName.text)
      // The task may block for minutes.
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              do {
                try Self.execute(task, store)
              } catch let error as PostgresLogError {
                throw ConfigurationError(error)
              }
            })
        }
      }
    }

    private static func execute(_ task: StoreTask, _ store: PostgresMaintenance) throws {
      switch task {
      case .export(sample: nil, _):
        let output = StandardOutput()
        try store.export { try output.write($0 + [UInt8(ascii: "\n")]) }
        try output.flush()
      case .import(let leavesOutDamaged):
        let lines = InputLines()
        let count = try store.import(
          leavingOut: leavesOutDamaged ? { print("left out: \($0)") } : nil, { try lines.next() })
        print("\(count) sessions imported")
      case .verify:
        throw ConfigurationError.configuration(
          "PostgreSQL verifies a store postgres://: data checksums (initdb -k), pg_amcheck")
      case .backup:
        throw ConfigurationError.configuration(
          "PostgreSQL copies a store postgres://: pg_dump, pg_basebackup, or pgBackRest to a point in time"
        )
      case .compact, .migrate:
        throw ConfigurationError.configuration(
          "a store postgres:// needs no such task: the service deletes what need not be retained, autovacuum "
            + "returns the space, and the start migrates the tables")
      case .export, .check:
        throw ConfigurationError.configuration(
          "a store postgres:// has 'log export' and 'log import'; import an export into a store sqlite:PATH "
            + "for samples and checks")
      }
    }
  }

  extension ConfigurationError {
    /// Creates the error for a database that cannot be used.
    init(_ error: PostgresLogError) {
      self.init(
        message: "store: \(error)", exitCode: error.isInvalidInput ? EX_DATAERR : EX_CONFIG,
        isTemporary: error.isTemporary)
    }
  }
#else
  extension ServiceContext {
    /// Throws an error: this build has no client of databases.
    func openDatabase(_ text: String) throws(ConfigurationError) -> OpenStore {
      throw .withoutDatabases
    }

    func execute(_ task: StoreTask, atDatabase text: String) async throws {
      throw ConfigurationError.withoutDatabases
    }
  }

  extension ConfigurationError {
    /// The error of a build without the package trait `PostgreSQL`.
    fileprivate static var withoutDatabases: ConfigurationError {
      .configuration(
        "store: this build cannot use a database (postgres://); build it with the package trait PostgreSQL, "
          + "which is the default, or use sqlite:PATH")
    }
  }
#endif
