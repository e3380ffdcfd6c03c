internal import CSQLite

/// An open database: the owner of SQLite's handle.
///
/// It belongs to one thread at a time.
@safe
final class Connection {
  /// What may be done with it.
  enum Access {
    /// Reading; nothing of the file is ever changed, but for what reading a write-ahead log takes.
    case reading

    /// Reading and writing a file that is there.
    case writing

    /// Reading and writing, in a file that is made where it is not there.
    case creating
  }

  private let handle: OpaquePointer
  /// What SQLite is given to write the length of the log to.
  private let length: UnsafeMutablePointer<Int32>

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: The file, never one of SQLite's special names.
  ///   - access: What may be done with it.
  ///   - patience: How long a call waits for a lock of another process, in milliseconds.
  /// - Throws: Where the file is not there, or cannot be had.
  init(_ path: String, _ access: Access, patience: Int32) throws(DatabaseError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch access {
    case .reading: flags |= SQLITE_OPEN_READONLY
    case .writing: flags |= SQLITE_OPEN_READWRITE
    case .creating: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var opened: OpaquePointer?
    // With a folder before it, ":memory:" is a file like any other.
    let code = ResultCode(
      rawValue: unsafe sqlite3_open_v2(
        path.hasPrefix("/") ? path : "./" + path, &opened, flags, nil))
    guard let handle = unsafe opened else {
      throw DatabaseError(code: code, message: "", systemError: 0)
    }
    guard code == .ok else {
      let error = DatabaseError(code, of: handle)
      unsafe sqlite3_close_v2(handle)
      throw error
    }
    unsafe sqlite3_busy_timeout(handle, patience)
    unsafe self.handle = handle
    unsafe length = .allocate(capacity: 1)
    unsafe length.initialize(to: 0)
  }

  // Its statements keep it alive, so that they are gone by now.
  deinit {
    unsafe sqlite3_close_v2(handle)
    unsafe length.deallocate()
  }

  /// Runs statements that give nothing back.
  func execute(_ statements: String) throws(DatabaseError) {
    let code = ResultCode(rawValue: unsafe sqlite3_exec(handle, statements, nil, nil, nil))
    guard code == .ok else { throw unsafe DatabaseError(code, of: handle) }
  }

  /// Prepares a statement that is run more than once.
  func prepare(_ text: String) throws(DatabaseError) -> Statement {
    var prepared: OpaquePointer?
    let code = ResultCode(
      rawValue: unsafe sqlite3_prepare_v3(
        handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil))
    guard code == .ok, let statement = unsafe prepared else {
      throw unsafe DatabaseError(code, of: handle)
    }
    return unsafe Statement(owning: statement, of: self, handle)
  }

  /// The number that a query gives; 0 for no row and for `NULL`.
  func integer(_ query: String) throws(DatabaseError) -> Int64 {
    let statement = try prepare(query)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The text that a query gives; empty for no row and for `NULL`.
  func text(_ query: String) throws(DatabaseError) -> String {
    let statement = try prepare(query)
    return try statement.step() ? statement.text(0) : ""
  }

  /// Whether a transaction is open: some errors end it by themselves.
  var isInTransaction: Bool {
    unsafe sqlite3_get_autocommit(handle) == 0
  }

  /// The pages in the write-ahead log after the last commit of this connection; 0 before it.
  var logLength: Int { unsafe Int(length.pointee) }

  /// Keeps ``logLength``, and has no commit bring the log into the database by itself.
  func followLog() {
    // It takes the place of SQLite's own, which does that.
    _ = unsafe sqlite3_wal_hook(
      handle,
      { length, _, _, pages in
        unsafe length?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, length)
  }

  /// Brings as much of the write-ahead log into the database as nobody reads, and waits for nobody.
  ///
  /// - Throws: Where it fails, and where another process does the same.
  func checkpoint() throws(DatabaseError) -> Checkpoint {
    let statement = try prepare("PRAGMA wal_checkpoint(PASSIVE)")
    guard try statement.step(), statement.integer(0) == 0 else {
      throw DatabaseError(code: .busy, message: "", systemError: 0)
    }
    return Checkpoint(
      length: statement.number(1), left: statement.number(1) - statement.number(2))
  }

  /// Waits until what a checkpoint has written to the database's file is on the disk.
  func sync() throws(DatabaseError) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    var code = ResultCode(
      rawValue: unsafe sqlite3_file_control(
        handle, "main", SQLITE_FCNTL_FILE_POINTER, &file))
    if code == .ok, let file = unsafe file, let sync = unsafe file.pointee.pMethods?.pointee.xSync {
      code = ResultCode(rawValue: unsafe sync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY))
    }
    guard code == .ok else { throw unsafe DatabaseError(code, of: handle) }
  }

  /// Copies the database, as it is at one moment, into a new file.
  ///
  /// Writers go on meanwhile; the copy is complete in itself.
  func copy(to path: String) throws(DatabaseError) {
    let statement = try prepare("VACUUM INTO ?1")
    try statement.bind(1, text: path)
    try statement.run()
  }
}

/// What a checkpoint has found and left.
struct Checkpoint {
  /// The pages in the write-ahead log.
  var length = 0
  /// How many of them are not in the database.
  var left = 0
}

extension DatabaseError {
  /// The error of the call that just failed on a connection.
  @safe
  init(_ code: ResultCode, of handle: OpaquePointer, systemError: Int32 = 0) {
    self.code = code
    message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? ""
    let known = unsafe sqlite3_system_errno(handle)
    self.systemError = known == 0 ? systemError : known
  }
}
