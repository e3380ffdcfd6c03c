internal import Glibc
internal import ReactorLog
internal import Telemetry

/// The file of a store.
///
/// Verifies that it is a store before anything is written to it.
struct StoreFile: Sendable {
  /// The path as it was configured.
  let path: String

  /// The path without symbolic links, from which SQLite derives the path of the write-ahead log.
  private let location: String
  private let identity: FileIdentity?

  /// The time that a call waits for a lock of another process, in milliseconds.
  static let lockTimeout: Int32 = 1000

  /// The numbers that identify a database.
  private struct Identification {
    let application: Int64
    let version: Int64
    let isEmpty: Bool

    init(of connection: SQLiteConnection) throws(DatabaseError) {
      application = try connection.integer("PRAGMA application_id")
      version = try connection.integer("PRAGMA user_version")
      isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
    }
  }

  /// Describes a store that this process has not locked.
  init(path: String) {
    self.init(path: path, location: Self.resolve(path), identity: nil)
  }

  /// Describes a store that this process has locked.
  init(path: String, locked lock: StoreLock) {
    self.init(path: path, location: lock.location, identity: lock.identity)
  }

  private init(path: String, location: String, identity: FileIdentity?) {
    self.path = path
    self.location = location
    self.identity = identity
  }

  /// Returns a path without symbolic links; the same path if there is no file.
  static func resolve(_ path: String) -> String {
    let resolved = unsafe realpath(path, nil)
    defer { unsafe free(resolved) }
    return unsafe resolved.map { unsafe String(cString: $0) } ?? path
  }

  /// A check for whether the locked file was deleted or replaced.
  var presence: StorePresence { StorePresence(of: location, identity) }

  /// Creates the tables, or migrates those of an earlier release.
  ///
  /// The caller has the store's lock.
  ///
  /// - Parameter logger: Logs a migration.
  /// - Throws: If the file is no store, or cannot be written.
  func prepare(logger: Logger = .silent) throws(SQLiteLogError) {
    let connection = try open(.creating)
    let version = try version(of: connection)
    guard !connection.isReadOnly else {
      throw SQLiteLogError(.cannotCreate, "cannot write the store \"\(path)\": it is read-only")
    }
    let migration =
      0 < version && version < Schema.version ? StoreMigration(from: version, of: location) : nil
    if let migration {
      logger.info(
        "migrating the store",
        [
          "store": path, "from": "\(migration.from)", "to": "\(migration.to)",
          "bytes": "\(migration.size)", "peak": "\(migration.peak)", "free": "\(migration.free)",
        ])
    }
    do throws(DatabaseError) {
      // With a write-ahead log, readers do not block the writer, and a commit syncs one file once.
      try connection.execute("PRAGMA journal_mode = WAL")
      for (index, migration) in Schema.migrations.enumerated().dropFirst(version) {
        try connection.execute(
          """
          BEGIN IMMEDIATE;
          \(migration)
          PRAGMA application_id = \(Schema.application);
          PRAGMA user_version = \(index + 1);
          COMMIT
          """)
      }
    } catch {
      guard let migration, error.logError == .full else { throw problem(error) }
      throw SQLiteLogError(
        .noSpace,
        "no space is left to migrate the store \"\(path)\", which is complete: make it up to "
          + "\(migration.peak - migration.size) bytes free, and start again")
    }
    if migration != nil { logger.info("store migrated", ["store": path]) }
    do throws(DatabaseError) {
      // Write and sync a page, to detect a store that cannot be written.
      try connection.execute("PRAGMA user_version = \(Schema.version)")
    } catch {
      // Accept a full disk: space can become free later, and the sessions can be read.
      guard error.logError != .full else { return }
      throw SQLiteLogError(.cannotCreate, "cannot write the store \"\(path)\": \(error)")
    }
  }

  /// Opens the file, which must exist and have the tables of this release.
  func open(for access: SQLiteConnection.Access) throws(SQLiteLogError) -> SQLiteConnection {
    let connection = try open(access)
    guard try version(of: connection) == Schema.version else {
      throw SQLiteLogError(
        .unsuitable,
        "the store \"\(path)\" is of an earlier version: migrate it with 'reactord log migrate', or let "
          + "the daemon open it once")
    }
    return connection
  }

  /// Opens a store of this release or of an earlier one for reading.
  ///
  /// - Returns: The connection, and the version of the tables.
  func openEarlier() throws(SQLiteLogError) -> (connection: SQLiteConnection, version: Int) {
    let connection = try open(.reading)
    let version = try version(of: connection)
    guard version > 0 else {
      throw SQLiteLogError(
        .unsuitable, "the store \"\(path)\" is empty: let the daemon open it once")
    }
    return (connection, version)
  }

  /// Opens the file like ``open(for:)``, after it has checked that the file was not deleted or
  /// replaced.
  func connect(for access: SQLiteConnection.Access) throws(DatabaseError) -> SQLiteConnection {
    try presence.check()
    do throws(SQLiteLogError) {
      return try open(for: access)
    } catch {
      throw DatabaseError(code: .cannotOpen, message: error.message)
    }
  }

  private func open(_ access: SQLiteConnection.Access) throws(SQLiteLogError) -> SQLiteConnection {
    do throws(DatabaseError) {
      return try SQLiteConnection(location, access, lockTimeout: Self.lockTimeout)
    } catch {
      let reason = error.systemError == 0 ? "\(error)" : "\(SystemError(code: error.systemError))"
      throw SQLiteLogError(.cannotCreate, "cannot open the store \"\(path)\": \(reason)")
    }
  }

  /// The version of the tables; 0 for an empty database.
  private func version(of connection: SQLiteConnection) throws(SQLiteLogError) -> Int {
    let found: Identification
    do throws(DatabaseError) {
      found = try Identification(of: connection)
    } catch {
      throw problem(error)
    }
    let isNew = found.application == 0 && found.version == 0 && found.isEmpty
    guard isNew || found.application == Schema.application else {
      throw SQLiteLogError(
        .unsuitable, "the store \"\(path)\" is the database of another program")
    }
    guard found.version >= 0 else {
      throw SQLiteLogError(
        .unsuitable,
        "the store \"\(path)\" is damaged: its tables are of version \(found.version)")
    }
    guard found.version <= Schema.version else {
      throw SQLiteLogError(
        .unsuitable,
        "the store \"\(path)\" was written by a later version of this program: "
          + "its tables are of version \(found.version), and \(Schema.version) is known here")
    }
    return Int(found.version)
  }

  private func problem(_ error: DatabaseError) -> SQLiteLogError {
    switch error.code.primary {
    case .notADatabase:
      SQLiteLogError(.unsuitable, "the store \"\(path)\" is not a database")
    case .cannotOpen, .readOnly:
      SQLiteLogError(.cannotCreate, "cannot write the store \"\(path)\": \(error)")
    case .busy, .locked:
      SQLiteLogError(.inUse, "the store \"\(path)\" is locked by another process")
    default:
      SQLiteLogError(.unreadable, "cannot use the store \"\(path)\": \(error)")
    }
  }
}
