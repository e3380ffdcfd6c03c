internal import CSQLite
internal import Glibc

/// A prepared statement: the owner of SQLite's handle.
///
/// It belongs to the thread of its connection.
@safe
final class Statement {
  private let statement: OpaquePointer
  private let connection: Connection
  private let handle: OpaquePointer  // of the connection

  /// Takes over a statement.
  init(owning statement: OpaquePointer, of connection: Connection, _ handle: OpaquePointer) {
    unsafe self.statement = statement
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit { unsafe sqlite3_finalize(statement) }

  // MARK: Binding

  /// Binds a number; `nil` binds `NULL`.
  func bind(_ index: Int32, _ value: Int64?) throws(DatabaseError) {
    guard let value else { return try bindNull(index) }
    try check(unsafe sqlite3_bind_int64(statement, index, value))
  }

  /// Binds a number.
  func bind(_ index: Int32, _ value: Int) throws(DatabaseError) {
    try bind(index, Int64(value))
  }

  /// Binds text in UTF-8; `nil` binds `NULL`.
  func bind(_ index: Int32, utf8 bytes: [UInt8]?) throws(DatabaseError) {
    guard let bytes else { return try bindNull(index) }
    guard let count = Int32(exactly: bytes.count) else {
      throw DatabaseError(code: .tooBig, message: "", systemError: 0)
    }
    try check(
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe reactord_bind_text(statement, index, bytes.baseAddress, count)
      })
  }

  /// Binds text; `nil` binds `NULL`.
  func bind(_ index: Int32, text: String?) throws(DatabaseError) {
    guard var text else { return try bindNull(index) }
    guard let count = Int32(exactly: text.utf8.count) else {
      throw DatabaseError(code: .tooBig, message: "", systemError: 0)
    }
    try check(
      text.withUTF8 { bytes in
        unsafe reactord_bind_text(statement, index, bytes.baseAddress, count)
      })
  }

  private func bindNull(_ index: Int32) throws(DatabaseError) {
    try check(unsafe sqlite3_bind_null(statement, index))
  }

  private func check(_ code: Int32) throws(DatabaseError) {
    guard code == SQLITE_OK else {
      throw unsafe DatabaseError(ResultCode(rawValue: code), of: handle)
    }
  }

  // MARK: Running

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one. After the last one, and after an error, the statement is as
  ///   new again.
  func step() throws(DatabaseError) -> Bool {
    errno = 0
    let code = ResultCode(rawValue: unsafe sqlite3_step(statement))
    if code == .row { return true }
    // SQLite keeps the number of a failed system call for some of its functions, and not for this.
    let systemError = errno
    // What failed is known by now; resetting would only say it again.
    defer { reset() }
    guard code == .done else {
      throw unsafe DatabaseError(code, of: handle, systemError: systemError)
    }
    return false
  }

  /// Runs the statement to its end.
  func run() throws(DatabaseError) {
    while try step() {}
  }

  /// How many rows the last statement of the connection inserted, changed or deleted.
  var changeCount: Int64 {
    unsafe sqlite3_changes64(handle)
  }

  /// Ends the reading of rows before the last one.
  func reset() {
    unsafe sqlite3_reset(statement)
  }

  // MARK: The current row

  /// The number in a column; 0 for `NULL`.
  func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(statement, column)
  }

  /// The number in a column.
  func number(_ column: Int32) -> Int {
    Int(integer(column))
  }

  /// Whether a column is `NULL`.
  func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// The bytes of a text; `nil` for `NULL`.
  func bytes(_ column: Int32) -> [UInt8]? {
    guard !isNull(column) else { return nil }
    guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The text of a column; empty for `NULL`.
  func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_blob(statement, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    return unsafe String(
      decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
