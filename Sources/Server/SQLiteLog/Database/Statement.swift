internal import CSQLite
internal import Glibc

/// A prepared statement: the owner of SQLite's handle.
///
/// It belongs to the thread of its connection. The parameters of its SQL are bound in order, and the
/// columns of a row are read in order:
///
/// ```swift
/// let list = try connection.prepare("SELECT id, epoch FROM sessions WHERE reactor = ?1")
/// try list.bind("counter")
/// defer { list.reset() }
/// while let (id, epoch) = try list.next(as: (Int64, String).self) { … }
/// ```
@safe
final class Statement {
  private let statement: OpaquePointer
  private let connection: SQLiteConnection
  private let handle: OpaquePointer  // of the connection

  /// Becomes the owner of a handle.
  init(owning statement: OpaquePointer, of connection: SQLiteConnection, _ handle: OpaquePointer) {
    unsafe self.statement = statement
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit { unsafe sqlite3_finalize(statement) }

  // MARK: Executing

  /// Binds the parameters and executes the statement to its end.
  func execute<each Value: ColumnValue>(_ values: repeat each Value) throws(DatabaseError) {
    try bind(repeat each values)
    try executeBound()
  }

  /// Executes the statement to its end with the parameters that were bound.
  func executeBound() throws(DatabaseError) {
    while try step() {}
  }

  /// Binds the parameters and returns the first row, or returns `nil` if there is none.
  func first<each Value: ColumnValue, each Column: ColumnValue>(
    _ values: repeat each Value, as row: (repeat each Column).Type
  ) throws(DatabaseError) -> (repeat each Column)? {
    try bind(repeat each values)
    defer { reset() }
    return try next(as: row)
  }

  /// Steps to the next row and returns it, or returns `nil` after the last one.
  func next<each Column: ColumnValue>(
    as row: (repeat each Column).Type
  ) throws(DatabaseError) -> (repeat each Column)? {
    guard try step() else { return nil }
    var column: Int32 = -1
    let columns = (repeat read((each Column).self, &column))
    return columns
  }

  private func read<Value: ColumnValue>(_: Value.Type, _ column: inout Int32) -> Value {
    column += 1
    return Value(from: self, column: column)
  }

  /// Binds all parameters, in order.
  func bind<each Value: ColumnValue>(_ values: repeat each Value) throws(DatabaseError) {
    var index: Int32 = 0
    repeat try bindNext(each values, &index)
  }

  private func bindNext(
    _ value: some ColumnValue, _ index: inout Int32
  ) throws(DatabaseError) {
    index += 1
    try value.bind(to: self, at: index)
  }

  /// Steps to the next row.
  ///
  /// - Returns: Whether there is one. After the last one, and after an error, the statement can be
  ///   executed again.
  func step() throws(DatabaseError) -> Bool {
    errno = 0
    let code = ResultCode(rawValue: unsafe sqlite3_step(statement))
    if code == .row { return true }
    // sqlite3_system_errno() does not cover all system calls of a step.
    let systemError = errno
    // The error is known; resetting would only report it again.
    defer { reset() }
    guard code == .done else {
      throw unsafe DatabaseError(code, of: handle, systemError: systemError)
    }
    return false
  }

  /// Ends an execution before its last row.
  func reset() {
    unsafe sqlite3_reset(statement)
  }

  /// The number of rows that the last statement of the connection inserted, changed or deleted.
  var changeCount: Int { Int(unsafe sqlite3_changes64(handle)) }

  // MARK: Parameters

  /// Binds an integer; `NULL` for `nil`.
  func bind(integer: Int64?, at index: Int32) throws(DatabaseError) {
    guard let integer else { return try bindNull(at: index) }
    try check(unsafe sqlite3_bind_int64(statement, index, integer))
  }

  /// Binds text in UTF-8; `NULL` for `nil`.
  func bind(utf8 bytes: [UInt8]?, at index: Int32) throws(DatabaseError) {
    guard let bytes else { return try bindNull(at: index) }
    guard let count = Int32(exactly: bytes.count) else { throw DatabaseError(code: .tooBig) }
    try check(
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe reactord_bind_text(statement, index, bytes.baseAddress, count)
      })
  }

  /// Binds text in UTF-8 without copying it: the statement reads the bytes when it is executed.
  ///
  /// The bytes must be valid until the execution has ended; each execution must bind the parameter
  /// again.
  func bind(borrowing bytes: UnsafeBufferPointer<UInt8>, at index: Int32) throws(DatabaseError) {
    guard let count = Int32(exactly: bytes.count) else { throw DatabaseError(code: .tooBig) }
    // Without an address SQLite binds NULL.
    guard let start = bytes.baseAddress, count > 0 else { return try bind(utf8: [], at: index) }
    let text = unsafe UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
    // Without a destructor SQLite reads the bytes in place.
    try check(unsafe sqlite3_bind_text(statement, index, text, count, nil))
  }

  /// Binds text; `NULL` for `nil`.
  func bind(text: String?, at index: Int32) throws(DatabaseError) {
    guard var text else { return try bindNull(at: index) }
    guard let count = Int32(exactly: text.utf8.count) else { throw DatabaseError(code: .tooBig) }
    try check(
      text.withUTF8 { bytes in
        unsafe reactord_bind_text(statement, index, bytes.baseAddress, count)
      })
  }

  func bindNull(at index: Int32) throws(DatabaseError) {
    try check(unsafe sqlite3_bind_null(statement, index))
  }

  private func check(_ code: Int32) throws(DatabaseError) {
    guard code == SQLITE_OK else {
      throw unsafe DatabaseError(ResultCode(rawValue: code), of: handle)
    }
  }

  // MARK: Columns

  /// The integer in a column; 0 for `NULL`.
  func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(statement, column)
  }

  func isNull(_ column: Int32) -> Bool {
    unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  /// The text in a column, in UTF-8; empty for `NULL`.
  func utf8(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The text in a column; empty for `NULL`.
  func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_blob(statement, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    return unsafe String(
      decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
