internal import ReactorLog

/// A value that can be written to a message.
protocol WritableField {
  func write(to writer: inout MessageWriter)

  /// Writes values without their number.
  static func write(_ values: [Self], to writer: inout MessageWriter)
}

/// A value that is read from a message as it was written.
///
/// Its values are all valid, or ``read(_:)`` rejects the others.
protocol MessageField: WritableField {
  static func read(_ reader: inout MessageReader) throws(MessageError) -> Self

  /// Reads values whose number is a ``MessageReader/length()``.
  static func read(_ count: Int, _ reader: inout MessageReader) throws(MessageError) -> [Self]
}

extension WritableField {
  static func write(_ values: [Self], to writer: inout MessageWriter) {
    for value in values { value.write(to: &writer) }
  }
}

extension MessageField {
  static func read(_ count: Int, _ reader: inout MessageReader) throws(MessageError) -> [Self] {
    var values: [Self] = []
    for _ in 0..<count { values.append(try read(&reader)) }
    return values
  }
}

/// A message, which has no other fields before or after it.
protocol Message: MessageField {}

extension Message {
  /// Reads a message, or returns `nil` for bytes that are not one of this protocol.
  init?(reading bytes: [UInt8]) {
    var reader = MessageReader(bytes)
    guard let message = try? Self.read(&reader) else { return nil }
    self = message
  }

  /// The message as bytes.
  var bytes: [UInt8] {
    var writer = MessageWriter()
    write(to: &writer)
    return writer.bytes
  }
}

extension UInt8: MessageField {
  func write(to writer: inout MessageWriter) { writer.append(self) }

  static func write(_ values: [UInt8], to writer: inout MessageWriter) { writer.append(values) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> UInt8 {
    try reader.byte()
  }

  static func read(_ count: Int, _ reader: inout MessageReader) -> [UInt8] { reader.take(count) }
}

extension Bool: MessageField {
  func write(to writer: inout MessageWriter) { writer.append(self ? 1 : 0) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Bool {
    try reader.byte() != 0
  }
}

extension UInt64: MessageField {
  func write(to writer: inout MessageWriter) {
    for shift in stride(from: 0, to: 64, by: 8) {
      writer.append(UInt8(truncatingIfNeeded: self >> shift))
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> UInt64 {
    try reader.number()
  }
}

/// Not a `MessageField`: what is valid depends on the message.
extension Int: WritableField {
  func write(to writer: inout MessageWriter) {
    UInt64(bitPattern: Int64(self)).write(to: &writer)
  }
}

extension Double: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: bitPattern) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Double {
    try Double(bitPattern: reader.number())
  }
}

extension String: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: utf8.count)
    writer.append(utf8)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> String {
    try String(decoding: [UInt8].read(&reader), as: UTF8.self)
  }
}

/// A calendar time.
extension Timestamp: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: Int(milliseconds)) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Timestamp {
    try Timestamp(milliseconds: reader.milliseconds())
  }
}

/// Whether there is a value, and the value.
extension Optional: WritableField where Wrapped: WritableField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: self != nil)
    if let self { self.write(to: &writer) }
  }
}

extension Optional: MessageField where Wrapped: MessageField {
  static func read(_ reader: inout MessageReader) throws(MessageError) -> Wrapped? {
    try Bool.read(&reader) ? try Wrapped.read(&reader) : nil
  }
}

/// The number of values, and the values.
extension Array: WritableField where Element: WritableField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: count)
    Element.write(self, to: &writer)
  }
}

extension Array: MessageField where Element: MessageField {
  static func read(_ reader: inout MessageReader) throws(MessageError) -> [Element] {
    try Element.read(try reader.length(), &reader)
  }
}

extension MessageField where Self: RawRepresentable, RawValue: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: rawValue) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Self {
    guard let value = Self(rawValue: try reader.read()) else { throw MessageError() }
    return value
  }
}
