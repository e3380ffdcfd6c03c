internal import Glibc

/// The header fields of a response, in the order in which they are sent.
///
/// Stored as one buffer of zero-terminated names and values: the fields of a response are one
/// allocation, and a transport written in C reads them in place.
package struct HTTPFields: Sendable, Equatable {
  /// The initial capacity in bytes, so that the fields of nearly every response are allocated once.
  private static let usualSize = 256

  private var bytes: [UInt8] = []

  /// Creates an empty collection.
  package init() {}

  /// Appends a field.
  ///
  /// A field is dropped if its value is empty or contains a control character, which could end the
  /// field and begin another (RFC 9110, 5.5).
  ///
  /// - Parameters:
  ///   - name: The field's name, which is trusted because it is a compile-time constant.
  ///   - value: The field's value.
  package mutating func append(_ name: StaticString, _ value: String) {
    var value = value
    value.withUTF8 { value in
      guard let start = value.baseAddress, unsafe Self.canBeSent(value) else { return }
      unsafe append(name, byteCount: value.count) {
        unsafe $0.initialize(from: start, count: value.count)
      }
    }
  }

  /// Appends a field whose value is a compile-time constant, and therefore trusted like the name.
  package mutating func append(_ name: StaticString, constant value: StaticString) {
    unsafe append(name, byteCount: value.utf8CodeUnitCount) {
      unsafe $0.initialize(from: value.utf8Start, count: value.utf8CodeUnitCount)
    }
  }

  /// Appends a field whose value is written in place.
  ///
  /// - Parameters:
  ///   - name: The field's name.
  ///   - byteCount: The length of the value, greater than 0.
  ///   - write: Writes all bytes of the value, without control characters.
  package mutating func append(
    _ name: StaticString, byteCount: Int, writing write: (UnsafeMutablePointer<UInt8>) -> Void
  ) {
    if bytes.isEmpty { bytes.reserveCapacity(Self.usualSize) }
    let nameCount = name.utf8CodeUnitCount
    let fieldCount = nameCount + byteCount + 2
    bytes.append(addingCapacity: fieldCount) { room in
      unsafe room.withUnsafeMutableBufferPointer { room, count in
        guard let start = room.baseAddress else { return }
        unsafe start.initialize(from: name.utf8Start, count: nameCount)
        unsafe start[nameCount] = 0
        unsafe write(start + nameCount + 1)
        unsafe start[fieldCount - 1] = 0
        count = fieldCount
      }
    }
  }

  /// Appends fields.
  package static func += (fields: inout HTTPFields, more: HTTPFields) {
    if more.bytes.isEmpty { return }
    if fields.bytes.isEmpty { fields.bytes.reserveCapacity(usualSize) }
    fields.bytes += more.bytes
  }

  /// Concatenates fields.
  package static func + (fields: consuming HTTPFields, more: HTTPFields) -> HTTPFields {
    fields += more
    return fields
  }

  /// The value of the first field with a name, spelled as it was appended, or `nil` if there is none.
  package subscript(name: String) -> String? {
    first { $0.name == name }?.value
  }

  /// Replaces the fields with a name by one field.
  package mutating func replace(_ name: StaticString, with value: String) {
    var others = HTTPFields()
    unsafe forEachCString { other, value in
      guard unsafe strcmp(other, name.utf8Start) != 0 else { return }
      unsafe others.bytes += UnsafeRawBufferPointer(start: other, count: strlen(other) + 1)
      unsafe others.bytes += UnsafeRawBufferPointer(start: value, count: strlen(value) + 1)
    }
    others.append(name, value)
    self = others
  }

  /// Calls a function with each name and value; the pointers are valid during the call.
  package func forEachCString(
    _ body: (_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) -> Void
  ) {
    unsafe bytes.withUnsafeBytes { bytes in
      var rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[...])
      while let name = unsafe rest.baseAddress?.assumingMemoryBound(to: CChar.self),
        unsafe !rest.isEmpty
      {
        let value = unsafe name + strlen(name) + 1
        unsafe body(name, value)
        let end = unsafe UnsafeRawPointer(value + strlen(value) + 1) - UnsafeRawPointer(name)
        unsafe rest = UnsafeRawBufferPointer(rebasing: rest[end...])
      }
    }
  }

  private static func canBeSent(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe !value.isEmpty && value.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
  }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  /// Creates fields; a name may occur more than once.
  package init(dictionaryLiteral fields: (StaticString, String)...) {
    for (name, value) in fields { append(name, value) }
  }
}

extension HTTPFields: Sequence {
  /// Iterates over the fields.
  package func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
    var fields: [(name: String, value: String)] = []
    unsafe forEachCString { unsafe fields.append((String(cString: $0), String(cString: $1))) }
    return fields.makeIterator()
  }
}
