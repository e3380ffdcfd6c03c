/// Writes the fields of a message: numbers of fixed size, little-endian, and byte strings with their
/// length.
struct MessageWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: UInt8) {
    bytes.append(value)
  }

  mutating func write(_ value: Bool) {
    bytes.append(value ? 1 : 0)
  }

  mutating func write(_ value: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func write(_ value: Int) {
    write(UInt64(bitPattern: Int64(value)))
  }

  mutating func write(_ value: [UInt8]) {
    write(value.count)
    bytes += value
  }

  mutating func write(_ text: String) {
    write(Array(text.utf8))
  }

  /// Writes whether there is a value, and the value.
  mutating func write<Value>(
    _ value: Value?, _ body: (inout MessageWriter, Value) -> Void
  ) {
    write(value != nil)
    if let value { body(&self, value) }
  }

  /// Writes the number of values, and the values.
  mutating func write<Value>(
    all values: some Collection<Value>, _ body: (inout MessageWriter, Value) -> Void
  ) {
    write(values.count)
    for value in values { body(&self, value) }
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

  mutating func byte() throws(MessageError) -> UInt8 {
    guard let byte = bytes.popFirst() else { throw MessageError() }
    return byte
  }

  mutating func bool() throws(MessageError) -> Bool {
    try byte() != 0
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

  /// Reads a calendar time in milliseconds since 1970, in the years 1 to 9999.
  mutating func milliseconds() throws(MessageError) -> Int64 {
    let milliseconds = Int64(try integer())
    guard (-62_135_596_800_000...253_402_300_799_999).contains(milliseconds) else {
      throw MessageError()
    }
    return milliseconds
  }

  mutating func data() throws(MessageError) -> [UInt8] {
    let count = try integer()
    guard count >= 0, count <= bytes.count else { throw MessageError() }
    defer { bytes = bytes.dropFirst(count) }
    return Array(bytes.prefix(count))
  }

  mutating func text() throws(MessageError) -> String {
    String(decoding: try data(), as: UTF8.self)
  }

  mutating func optional<Value>(
    _ body: (inout MessageReader) throws(MessageError) -> Value
  ) throws(MessageError) -> Value? {
    try bool() ? try body(&self) : nil
  }

  mutating func all<Value>(
    _ body: (inout MessageReader) throws(MessageError) -> Value
  ) throws(MessageError) -> [Value] {
    let count = try integer()
    // Each value has at least one byte.
    guard count >= 0, count <= bytes.count else { throw MessageError() }
    var values: [Value] = []
    for _ in 0..<count { values.append(try body(&self)) }
    return values
  }
}

/// A message that can be read from bytes.
protocol ReadableMessage {
  static func read(_ reader: inout MessageReader) throws(MessageError) -> Self
}

extension ReadableMessage {
  /// Reads a message, or returns `nil` for bytes that are not one of this protocol.
  init?(reading bytes: [UInt8]) {
    var reader = MessageReader(bytes)
    do throws(MessageError) {
      self = try Self.read(&reader)
    } catch {
      return nil
    }
  }
}
