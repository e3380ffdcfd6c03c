internal import ReactorLog

/// A Swift value that SQLite stores in one column.
protocol ColumnValue {
  /// Binds the value to the parameter at an index; the first index is 1.
  func bind(to statement: Statement, at index: Int32) throws(DatabaseError)

  /// Reads the value of a column of the current row; the first column is 0.
  init(from statement: Statement, column: Int32)
}

extension Int64: ColumnValue {
  func bind(to statement: Statement, at index: Int32) throws(DatabaseError) {
    try statement.bind(integer: self, at: index)
  }

  init(from statement: Statement, column: Int32) { self = statement.integer(column) }
}

extension Int: ColumnValue {
  func bind(to statement: Statement, at index: Int32) throws(DatabaseError) {
    try statement.bind(integer: Int64(self), at: index)
  }

  init(from statement: Statement, column: Int32) { self.init(statement.integer(column)) }
}

/// Stored as the signed integer with the same bits: SQLite has no unsigned integers.
extension UInt64: ColumnValue {
  func bind(to statement: Statement, at index: Int32) throws(DatabaseError) {
    try statement.bind(integer: Int64(bitPattern: self), at: index)
  }

  init(from statement: Statement, column: Int32) {
    self.init(bitPattern: statement.integer(column))
  }
}

extension Bool: ColumnValue {
  func bind(to statement: Statement, at index: Int32) throws(DatabaseError) {
    try statement.bind(integer: self ? 1 : 0, at: index)
  }

  init(from statement: Statement, column: Int32) { self = statement.integer(column) != 0 }
}

extension Timestamp: ColumnValue {
  func bind(to statement: Statement, at index: Int32) throws(DatabaseError) {
    try statement.bind(integer: milliseconds, at: index)
  }

  init(from statement: Statement, column: Int32) {
    self.init(milliseconds: statement.integer(column))
  }
}

extension String: ColumnValue {
  func bind(to statement: Statement, at index: Int32) throws(DatabaseError) {
    try statement.bind(text: self, at: index)
  }

  init(from statement: Statement, column: Int32) { self = statement.text(column) }
}

/// Text in UTF-8.
extension [UInt8]: ColumnValue {
  func bind(to statement: Statement, at index: Int32) throws(DatabaseError) {
    try statement.bind(utf8: self, at: index)
  }

  init(from statement: Statement, column: Int32) { self = statement.utf8(column) }
}

/// `NULL` for `nil`.
extension Optional: ColumnValue where Wrapped: ColumnValue {
  func bind(to statement: Statement, at index: Int32) throws(DatabaseError) {
    if let self {
      try self.bind(to: statement, at: index)
    } else {
      try statement.bindNull(at: index)
    }
  }

  init(from statement: Statement, column: Int32) {
    self = statement.isNull(column) ? nil : Wrapped(from: statement, column: column)
  }
}
