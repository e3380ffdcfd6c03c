/// Binds the parameters of a statement one after the other, in order.
///
/// Used for rows that are written with every action or session, because the parameter pack of
/// ``Statement/bind(_:)`` requests the metadata of its types with each call.
struct ParameterBinder {
  private let statement: Statement
  private var index: Int32 = 0

  /// Begins with the first parameter.
  init(_ statement: Statement) { self.statement = statement }

  /// Binds an integer; `NULL` for `nil`.
  mutating func bind(_ integer: Int64?) throws(DatabaseError) {
    try statement.bind(integer: integer, at: next())
  }

  /// Binds text; `NULL` for `nil`.
  mutating func bind(_ text: String?) throws(DatabaseError) {
    try statement.bind(text: text, at: next())
  }

  /// Binds text in UTF-8; `NULL` for `nil`.
  mutating func bind(utf8 bytes: [UInt8]?) throws(DatabaseError) {
    try statement.bind(utf8: bytes, at: next())
  }

  /// Binds text in UTF-8 without copying it; `NULL` for `nil`.
  ///
  /// The bytes must be valid until the statement has been executed.
  mutating func bind(borrowing bytes: UnsafeBufferPointer<UInt8>?) throws(DatabaseError) {
    guard let bytes = unsafe bytes else { return try statement.bindNull(at: next()) }
    unsafe try statement.bind(borrowing: bytes, at: next())
  }

  private mutating func next() -> Int32 {
    index += 1
    return index
  }
}
