internal import CPostgres
internal import ReactorLog

/// The rows of a statement: the owner of libpq's result.
@safe
final class Rows {
  private let result: OpaquePointer

  /// Becomes the owner of a result.
  init(owning result: OpaquePointer) { unsafe self.result = result }

  deinit { unsafe PQclear(result) }

  /// The kind of a result.
  enum Kind {
    /// The rows of a statement, possibly none.
    case rows
    case error
    /// The statement follows one that has failed, and was not executed.
    case aborted
    case endOfTransaction
  }

  var kind: Kind {
    switch unsafe PQresultStatus(result) {
    case PGRES_PIPELINE_SYNC: .endOfTransaction
    case PGRES_PIPELINE_ABORTED: .aborted
    case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE: .error
    default: .rows
    }
  }

  /// The error of the result.
  var error: PostgresError {
    let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C")))
      .map { unsafe String(cString: $0) }
    let message = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "M")))
      .map { unsafe String(cString: $0) }
    let text = unsafe message ?? String(cString: PQresultErrorMessage(result))
    return PostgresError(
      state: state ?? "",
      message: text.firstLine.isEmpty ? "the connection was lost" : text.firstLine)
  }

  /// The number of rows.
  var count: Int { Int(unsafe PQntuples(result)) }

  /// The number of rows that the statement inserted, changed or deleted.
  var changeCount: Int { Int(unsafe String(cString: PQcmdTuples(result))) ?? 0 }

  /// Reads the columns of a row.
  func row<each Value: ResultValue>(
    _ row: Int, as type: (repeat each Value).Type
  ) throws(PostgresError) -> (repeat each Value) {
    var column: Int32 = 0
    let columns = (repeat try read((each Value).self, row, &column))
    return columns
  }

  /// Reads the columns of the first row, or returns `nil` without rows.
  func first<each Value: ResultValue>(
    as type: (repeat each Value).Type
  ) throws(PostgresError) -> (repeat each Value)? {
    guard count > 0 else { return nil }
    var column: Int32 = 0
    let columns = (repeat try read((each Value).self, 0, &column))
    return columns
  }

  /// Reads a column that is text.
  func text(_ row: Int, _ column: Int32) throws(PostgresError) -> String {
    var column = column
    return try read(String.self, row, &column)
  }

  /// Whether the first row has a column that is true.
  func isTrue() throws(PostgresError) -> Bool { try first(as: Bool.self) ?? false }

  private func read<Value: ResultValue>(
    _: Value.Type, _ row: Int, _ column: inout Int32
  ) throws(PostgresError) -> Value {
    defer { column += 1 }
    let row = Int32(row)
    if unsafe PQgetisnull(result, row, column) != 0 {
      guard let value = Value.null else { throw .damaged("column \(column)") }
      return value
    }
    let start = unsafe PQgetvalue(result, row, column)
    let bytes = unsafe UnsafeRawBufferPointer(
      start: start, count: Int(PQgetlength(result, row, column)))
    guard let value = unsafe Value(bytes) else { throw .damaged("column \(column)") }
    return value
  }
}

/// A Swift value that is read from a column in the binary format.
protocol ResultValue {
  /// Reads the value of a column that is not `NULL`, or returns `nil` if its bytes are another type's.
  init?(_ bytes: UnsafeRawBufferPointer)

  /// The value of `NULL`, or `nil` if it is an error.
  static var null: Self? { get }
}

extension ResultValue {
  static var null: Self? { nil }
}

extension Int64: ResultValue {
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let number = unsafe bytes.bigEndianInteger else { return nil }
    self = number
  }
}

extension Int: ResultValue {
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let number = unsafe bytes.bigEndianInteger else { return nil }
    self.init(number)
  }
}

extension UInt64: ResultValue {
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let number = unsafe bytes.bigEndianInteger else { return nil }
    self.init(bitPattern: number)
  }
}

extension Bool: ResultValue {
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 1 else { return nil }
    self = unsafe bytes[0] != 0
  }
}

extension Timestamp: ResultValue {
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let number = unsafe bytes.bigEndianInteger else { return nil }
    self.init(milliseconds: number)
  }
}

extension String: ResultValue {
  init?(_ bytes: UnsafeRawBufferPointer) { self = unsafe String(decoding: bytes, as: UTF8.self) }
}

extension [UInt8]: ResultValue {
  init?(_ bytes: UnsafeRawBufferPointer) { self = unsafe Array(bytes) }
}

/// `nil` for `NULL`.
extension Optional: ResultValue where Wrapped: ResultValue {
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let value = unsafe Wrapped(bytes) else { return nil }
    self = value
  }

  static var null: Wrapped?? { .some(nil) }
}

/// An array of PostgreSQL with one dimension.
struct ArrayValue<Element: ResultValue>: ResultValue {
  var elements: [Element] = []

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard let dimensions = unsafe bytes.integer(at: 0) else { return nil }
    guard dimensions > 0 else { return }
    guard dimensions == 1, let count = unsafe bytes.integer(at: 12) else { return nil }
    var offset = 20
    for _ in 0..<count {
      guard let length = unsafe bytes.integer(at: offset), length >= 0,
        offset + 4 + length <= bytes.count,
        let element = unsafe Element(
          UnsafeRawBufferPointer(rebasing: bytes[offset + 4..<offset + 4 + length]))
      else { return nil }
      elements.append(element)
      offset += 4 + length
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The integer of 2, 4 or 8 bytes.
  fileprivate var bigEndianInteger: Int64? {
    switch count {
    case 2: Int64(Int16(bigEndian: unsafe loadUnaligned(as: Int16.self)))
    case 4: Int64(Int32(bigEndian: unsafe loadUnaligned(as: Int32.self)))
    case 8: Int64(bigEndian: unsafe loadUnaligned(as: Int64.self))
    default: nil
    }
  }

  fileprivate func integer(at offset: Int) -> Int? {
    guard offset + 4 <= count else { return nil }
    return Int(
      Int32(bigEndian: unsafe loadUnaligned(fromByteOffset: offset, as: Int32.self)))
  }
}

extension String {
  /// The text up to the end of its first line.
  var firstLine: String { String(prefix { !$0.isNewline }) }
}
