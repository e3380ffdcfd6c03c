internal import CSQLite

/// An open database: the owner of SQLite's handle.
///
/// It belongs to one thread at a time.
@safe
final class SQLiteConnection {
  /// The access to a database.
  enum Access {
    /// Read only; the file changes only as far as reading a write-ahead log requires it.
    case reading

    /// Read and write an existing file.
    case writing

    /// Read and write; a missing file is created.
    case creating
  }

  private let handle: OpaquePointer
  /// The location that SQLite's hook writes the length of the write-ahead log to.
  private let length: UnsafeMutablePointer<Int32>

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: The path of the file; SQLite's special names, such as `:memory:`, have no effect.
  ///   - access: The access to it.
  ///   - lockTimeout: The time to wait for a lock of another process, in milliseconds.
  /// - Throws: If the file is missing or cannot be opened.
  init(_ path: String, _ access: Access, lockTimeout: Int32) throws(DatabaseError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    switch access {
    case .reading: flags |= SQLITE_OPEN_READONLY
    case .writing: flags |= SQLITE_OPEN_READWRITE
    case .creating: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var opened: OpaquePointer?
    // With a folder in front, ":memory:" is an ordinary file name.
    let code = ResultCode(
      rawValue: unsafe sqlite3_open_v2(
        path.hasPrefix("/") ? path : "./" + path, &opened, flags, nil))
    guard let handle = unsafe opened else { throw DatabaseError(code: code) }
    guard code == .ok else {
      let error = DatabaseError(code, of: handle)
      unsafe sqlite3_close_v2(handle)
      throw error
    }
    unsafe sqlite3_busy_timeout(handle, lockTimeout)
    unsafe self.handle = handle
    unsafe length = .allocate(capacity: 1)
    unsafe length.initialize(to: 0)
  }

  // No statement exists at this point, because statements retain their connection.
  deinit {
    unsafe sqlite3_close_v2(handle)
    unsafe length.deallocate()
  }

  /// Executes statements without parameters, and ignores their rows.
  func execute(_ statements: String) throws(DatabaseError) {
    let code = ResultCode(rawValue: unsafe sqlite3_exec(handle, statements, nil, nil, nil))
    guard code == .ok else { throw unsafe DatabaseError(code, of: handle) }
  }

  /// Prepares a statement that is executed more than once.
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

  /// The integer that a query returns; 0 without a row, and for `NULL`.
  func integer(_ query: String) throws(DatabaseError) -> Int64 {
    try prepare(query).first(as: Int64.self) ?? 0
  }

  /// Whether a transaction is open; some errors end a transaction.
  var isInTransaction: Bool {
    unsafe sqlite3_get_autocommit(handle) == 0
  }

  /// Whether SQLite opened the file as read-only, even if it was to be opened for writing.
  var isReadOnly: Bool {
    unsafe sqlite3_db_readonly(handle, "main") == 1
  }

  /// The number of pages in the write-ahead log after the last commit of this connection; 0 before
  /// its first commit.
  var logLength: Int { unsafe Int(length.pointee) }

  /// Updates ``logLength`` with each commit, and disables SQLite's automatic checkpoints.
  func followLog() {
    // The hook replaces SQLite's own, which starts the automatic checkpoints.
    _ = unsafe sqlite3_wal_hook(
      handle,
      { length, _, _, pages in
        // Portable: it is the allocation of `length`.
        unsafe length?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, length)
  }

  /// Copies the pages of the write-ahead log to the database, up to the first page that a reader
  /// prevents from being copied; does not wait for readers.
  ///
  /// - Throws: If the checkpoint fails, or another process is doing one.
  func checkpoint() throws(DatabaseError) -> Checkpoint {
    let result = try prepare("PRAGMA wal_checkpoint(PASSIVE)").first(as: (Bool, Int, Int).self)
    guard let (isBusy, length, copied) = result, !isBusy else { throw DatabaseError(code: .busy) }
    return Checkpoint(length: length, left: length - copied)
  }

  /// Syncs the database file: blocks until the pages that checkpoints have copied are on the disk.
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

  /// Copies a consistent state of the database into an empty file; writers continue.
  func copy(to path: String) throws(DatabaseError) {
    try prepare("VACUUM INTO ?1").execute(path)
  }
}

/// The result of a checkpoint.
struct Checkpoint {
  /// The number of pages in the write-ahead log.
  var length = 0
  /// The number of these pages that were not copied to the database.
  var left = 0
}

extension DatabaseError {
  /// The error of the last call on a connection.
  @safe
  init(_ code: ResultCode, of handle: OpaquePointer, systemError: Int32 = 0) {
    let known = unsafe sqlite3_system_errno(handle)
    self.init(
      code: code,
      message: unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? "",
      systemError: known == 0 ? systemError : known)
  }
}
