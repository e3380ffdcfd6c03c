/// The file of a store: sees to it that it is one of ours before anything is written to it.
struct StoreFile: Sendable {
  let path: String

  /// How long a call waits for a lock of another process, in milliseconds.
  static let patience: Int32 = 1000

  /// What tells whose a database is.
  private struct Identity {
    let application: Int64
    let version: Int64
    let isEmpty: Bool

    init(of connection: Connection) throws(DatabaseError) {
      application = try connection.integer("PRAGMA application_id")
      version = try connection.integer("PRAGMA user_version")
      isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
    }
  }

  /// Makes the file where it is missing, and brings it to the tables of this program.
  ///
  /// The caller has the store's lock.
  func prepare() throws(SQLiteLogError) {
    let connection = try open(.creating)
    let version = try version(of: connection)
    do throws(DatabaseError) {
      // Readers go on while something is written, and writing is one sync of one file.
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
      throw problem(error)
    }
  }

  /// Opens the file, which is there and has the tables of this program.
  func open(for access: Connection.Access) throws(SQLiteLogError) -> Connection {
    let connection = try open(access)
    guard try version(of: connection) == Schema.version else {
      throw SQLiteLogError(
        .unsuitable,
        "the store \"\(path)\" is of an earlier version: let the daemon open it once")
    }
    return connection
  }

  /// Opens the file as above, while the store is in use.
  func connect(for access: Connection.Access) throws(DatabaseError) -> Connection {
    do throws(SQLiteLogError) {
      return try open(for: access)
    } catch {
      throw DatabaseError(code: .cannotOpen, message: error.message, systemError: 0)
    }
  }

  private func open(_ access: Connection.Access) throws(SQLiteLogError) -> Connection {
    do throws(DatabaseError) {
      return try Connection(path, access, patience: Self.patience)
    } catch {
      let reason = error.systemError == 0 ? "\(error)" : "\(SystemError(code: error.systemError))"
      throw SQLiteLogError(.cannotCreate, "cannot open the store \"\(path)\": \(reason)")
    }
  }

  /// The version of the tables; 0 where there is nothing yet.
  private func version(of connection: Connection) throws(SQLiteLogError) -> Int {
    let identity: Identity
    do throws(DatabaseError) {
      identity = try Identity(of: connection)
    } catch {
      throw problem(error)
    }
    let isNew = identity.application == 0 && identity.version == 0 && identity.isEmpty
    guard isNew || identity.application == Schema.application else {
      throw SQLiteLogError(
        .unsuitable, "the store \"\(path)\" is the database of another program")
    }
    guard identity.version <= Schema.version else {
      throw SQLiteLogError(
        .unsuitable,
        "the store \"\(path)\" was written by a later version of this program: "
          + "its tables are of version \(identity.version), and \(Schema.version) is known here")
    }
    return Int(identity.version)
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
