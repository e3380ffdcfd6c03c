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
      let settings = try databaseSettings(text)
      let links = try configuration.linkSettings()
      let log: PostgresLog
      do throws(PostgresLogError) {
        log = try PostgresLog(settings, logger: logger)
      } catch {
        throw ConfigurationError(error)
      }
      let quarantine = StoredQuarantine(log, logger: logger)
      do throws(ConfigurationError) {
        do throws(LogError) {
          try quarantine.start()
        } catch {
          throw ConfigurationError(
            message: "store: \(error)", exitCode: EX_CONFIG, isTemporary: true)
        }
        if let links { return try join(log, quarantine, settings, links) }
        return OpenStore(
          log: log,
          close: {
            quarantine.close()
            return log.close(within: $0)
          }, sharedMarks: { SharedMarks($0, quarantine) })
      } catch {
        quarantine.close()
        log.close(within: .zero)
        throw error
      }
    }

    private func databaseSettings(
      _ text: String
    ) throws(ConfigurationError) -> PostgresLog.Settings {
      var settings = PostgresLog.Settings(try Self.address(text))
      settings.schema = configuration.clusterName.text
      settings.node = nodeName
      settings.wait = configuration.clusterWait
      settings.retention = configuration.retention
      settings.outcomeRetention = configuration.host.idempotency
      settings.changeRetention = configuration.changeRetention
      return settings
    }

    /// Reads the address of a database; an error does not contain the text, which may have a password.
    fileprivate static func address(_ text: String) throws(ConfigurationError) -> PostgresAddress {
      guard let address = PostgresAddress(text) else {
        throw .configuration(
          "store: the URL of the database is invalid; expected postgres://USER@HOST[,...]/DATABASE with the "
            + "parameters of libpq")
      }
      return address
    }

    /// Executes a maintenance task of a store in a database.
    func execute(
      _ task: StoreTask, atDatabase text: String, _ reactors: [ReactorRegistration]
    ) async throws {
      let settings = try databaseSettings(text)
      let store = PostgresMaintenance(settings.address, schema: settings.schema)
      // The task may block for minutes.
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
          continuation.resume(
            with: Result {
              do {
                try execute(task, store, settings, reactors)
              } catch let error as PostgresLogError {
                throw ConfigurationError(error)
              }
            })
        }
      }
    }

    private func execute(
      _ task: StoreTask, _ store: PostgresMaintenance, _ settings: PostgresLog.Settings,
      _ reactors: [ReactorRegistration]
    ) throws {
      switch task {
      case .verify:
        try verify(
          try PostgresLog(reading: settings), damage: try store.check(),
          sessions: try store.countSessions(), lacksChecksums: { _ in false }, reactors)
      case .check: try check(try PostgresLog(reading: settings), reactors)
      case .export(let count, let dropped):
        guard let count else { return try export(store.export) }
        try exportSample(
          count, dropping: dropped, of: try PostgresLog(reading: settings), reactors, store.export)
      case .import(let leavesOutDamaged):
        let lines = InputLines()
        let count = try store.import(
          leavingOut: leavesOutDamaged ? { print("left out: \($0)") } : nil, { try lines.next() })
        print("\(count) sessions imported")
      case .backup:
        throw ConfigurationError.configuration(
          "PostgreSQL copies a store postgres://: pg_dump, pg_basebackup, or pgBackRest to a point in time"
        )
      case .compact, .migrate:
        throw ConfigurationError.configuration(
          "a store postgres:// needs no such task: the service deletes what need not be retained, autovacuum "
            + "returns the space, and the start migrates the tables")
      }
    }
  }

  extension QuarantineTask {
    /// Executes the task of a store in a database; blocks.
    func execute(
      _ configuration: Configuration, atDatabase text: String
    ) throws(ConfigurationError) {
      var settings = PostgresLog.Settings(try ServiceContext.address(text))
      settings.schema = configuration.clusterName.text
      settings.wait = configuration.clusterWait
      let log: PostgresLog
      do throws(PostgresLogError) {
        log = try PostgresLog(reading: settings)
      } catch {
        throw ConfigurationError(error)
      }
      defer { log.close(within: .zero) }
      let quarantine = StoredQuarantine(log)
      do throws(LogError) {
        switch self {
        case .list:
          try quarantine.read()
          for entry in quarantine.entries { print(Self.line(QuarantinedAction(entry))) }
        case .clear: print("\(try quarantine.clear()) entries removed")
        }
      } catch {
        throw ConfigurationError(message: "store: \(error)", exitCode: EX_CONFIG)
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
  internal import ReactorHost

  extension ServiceContext {
    /// Throws an error: this build has no client of databases.
    func openDatabase(_ text: String) throws(ConfigurationError) -> OpenStore {
      throw .withoutDatabases
    }

    func execute(
      _ task: StoreTask, atDatabase text: String, _ reactors: [ReactorRegistration]
    ) async throws {
      throw ConfigurationError.withoutDatabases
    }
  }

  extension QuarantineTask {
    func execute(
      _ configuration: Configuration, atDatabase text: String
    ) throws(ConfigurationError) {
      throw .withoutDatabases
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
