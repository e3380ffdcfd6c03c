internal import Glibc

/// The header fields of a response, in the order in which they are sent.
///
/// They are kept in one piece, as C reads them: each name and each value ends in a zero byte. So the
/// fields of an answer are one allocation, and a transport that is written in C takes them as they are.
public struct HTTPFields: Sendable, Equatable {
  /// More than nearly every answer needs, so that its fields are allocated once.
  private static let usualSize = 256

  private var bytes: [UInt8] = []

  /// Makes no fields.
  public init() {}

  /// Adds a field.
  ///
  /// One without a value is left out, and so is one whose value holds a control character, which
  /// could end the field and begin another (RFC 9110, 5.5).
  ///
  /// - Parameters:
  ///   - name: What the service calls the field: no client has a word in this.
  ///   - value: What the field says.
  public mutating func append(_ name: StaticString, _ value: String) {
    var value = value
    value.withUTF8 { value in
      guard let start = value.baseAddress, Self.canBeSent(value) else { return }
      append(name, byteCount: value.count) { $0.initialize(from: start, count: value.count) }
    }
  }

  /// Adds a field whose value is written in place.
  ///
  /// - Parameters:
  ///   - name: What the service calls the field.
  ///   - byteCount: How long the value is, not 0.
  ///   - write: Writes all of it, without control characters.
  @inline(__always)
  mutating func append(
    _ name: StaticString, byteCount: Int, writing write: (UnsafeMutablePointer<UInt8>) -> Void
  ) {
    if bytes.isEmpty { bytes.reserveCapacity(Self.usualSize) }
    let nameCount = name.utf8CodeUnitCount
    let fieldCount = nameCount + byteCount + 2
    bytes.append(addingCapacity: fieldCount) { room in
      room.withUnsafeMutableBufferPointer { room, count in
        guard let start = room.baseAddress else { return }
        start.initialize(from: name.utf8Start, count: nameCount)
        start[nameCount] = 0
        write(start + nameCount + 1)
        start[fieldCount - 1] = 0
        count = fieldCount
      }
    }
  }

  /// Adds fields.
  public static func += (fields: inout HTTPFields, more: HTTPFields) {
    if fields.bytes.isEmpty { fields.bytes.reserveCapacity(usualSize) }
    fields.bytes += more.bytes
  }

  /// Fields, and behind them others.
  public static func + (fields: HTTPFields, more: HTTPFields) -> HTTPFields {
    var all = fields
    all += more
    return all
  }

  /// The value of the first field of a name, written as it was added; `nil` where there is none.
  public subscript(name: String) -> String? {
    first { $0.name == name }?.value
  }

  /// Puts a field in the place of those of its name.
  mutating func replace(_ name: StaticString, with value: String) {
    var others = HTTPFields()
    forEachCString { other, value in
      guard strcmp(other, name.utf8Start) != 0 else { return }
      others.bytes += UnsafeRawBufferPointer(start: other, count: strlen(other) + 1)
      others.bytes += UnsafeRawBufferPointer(start: value, count: strlen(value) + 1)
    }
    others.append(name, value)
    self = others
  }

  /// Hands each name and its value to a body, as they are kept; the pointers are valid within it.
  public func forEachCString(
    _ body: (_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) -> Void
  ) {
    bytes.withUnsafeBytes { bytes in
      var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
      while let name = rest.baseAddress?.assumingMemoryBound(to: CChar.self), !rest.isEmpty {
        let value = name + strlen(name) + 1
        body(name, value)
        let end = UnsafeRawPointer(value + strlen(value) + 1) - UnsafeRawPointer(name)
        rest = UnsafeRawBufferPointer(rebasing: rest[end...])
      }
    }
  }

  private static func canBeSent(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    !value.isEmpty && value.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  /// Makes fields; a name may occur more than once.
  public init(dictionaryLiteral fields: (StaticString, String)...) {
    for (name, value) in fields { append(name, value) }
  }
}

extension HTTPFields: Sequence {
  /// Goes over the fields as texts.
  public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    var fields: [(name: String, value: String)] = []
    forEachCString { fields.append((String(cString: $0), String(cString: $1))) }
    return fields.makeIterator()
  }
}
