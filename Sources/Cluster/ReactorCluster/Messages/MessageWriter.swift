/// Writes the fields of a message: numbers of fixed size, little-endian, and byte strings with their
/// length.
struct MessageWriter {
  private(set) var bytes: [UInt8] = []

  /// Writes the number of a case, and the values of the case.
  ///
  /// Inlined, like the next one: a call with a pack takes longer than most fields.
  @inline(__always)
  mutating func write<each Field: WritableField>(_ kind: UInt8, _ field: repeat each Field) {
    bytes.append(kind)
    repeat (each field).write(to: &self)
  }

  /// Writes fields, one after the other.
  @inline(__always)
  mutating func write<each Field: WritableField>(fields field: repeat each Field) {
    repeat (each field).write(to: &self)
  }

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Writes bytes without their number.
  mutating func append(_ values: some Collection<UInt8>) {
    bytes += values
  }
}

/// The bytes are no message of this protocol.
struct MessageError: Error {}

/// Reads the fields of a message in the order in which they were written.
///
/// Bytes of another release or of a foreign sender cause an error, never a trap or a large
/// allocation.
struct MessageReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    self.bytes = bytes[...]
  }

  /// Reads a field of a type whose values are all valid, or that rejects the others.
  ///
  /// An `Int` is not one: its reader names the valid values.
  mutating func read<Field: MessageField>() throws(MessageError) -> Field {
    try Field.read(&self)
  }

  mutating func byte() throws(MessageError) -> UInt8 {
    guard let byte = bytes.popFirst() else { throw MessageError() }
    return byte
  }

  mutating func number() throws(MessageError) -> UInt64 {
    guard bytes.count >= 8 else { throw MessageError() }
    var value: UInt64 = 0
    for (index, byte) in bytes.prefix(8).enumerated() { value |= UInt64(byte) << (8 * index) }
    bytes = bytes.dropFirst(8)
    return value
  }

  mutating func integer() throws(MessageError) -> Int {
    Int(Int64(bitPattern: try number()))
  }

  mutating func optionalInteger() throws(MessageError) -> Int? {
    try Bool.read(&self) ? try integer() : nil
  }

  /// Reads a count: not negative, and small enough that sums do not overflow.
  mutating func count() throws(MessageError) -> Int {
    let count = try integer()
    guard (0...Int(Int32.max)).contains(count) else { throw MessageError() }
    return count
  }

  /// Reads a version: not negative, and small enough that later versions do not overflow.
  mutating func version() throws(MessageError) -> Int {
    let version = try integer()
    guard (0...Int.max / 2).contains(version) else { throw MessageError() }
    return version
  }

  mutating func optionalVersion() throws(MessageError) -> Int? {
    try Bool.read(&self) ? try version() : nil
  }

  /// Reads a calendar time in milliseconds since 1970, in the years 1 to 9999.
  mutating func milliseconds() throws(MessageError) -> Int64 {
    let milliseconds = Int64(try integer())
    guard (-62_135_596_800_000...253_402_300_799_999).contains(milliseconds) else {
      throw MessageError()
    }
    return milliseconds
  }

  /// Reads the number of the values that follow, each of which has at least one byte.
  mutating func length() throws(MessageError) -> Int {
    let count = try integer()
    guard count >= 0, count <= bytes.count else { throw MessageError() }
    return count
  }

  /// Reads bytes without their number, which must be a ``length()``.
  mutating func take(_ count: Int) -> [UInt8] {
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }
}
