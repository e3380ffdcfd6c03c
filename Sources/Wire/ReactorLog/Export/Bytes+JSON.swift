package import ReactorCoding

/// Appends JSON to bytes.
extension [UInt8] {
  /// Appends a text as it is.
  package mutating func put(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }

  package mutating func put(_ number: some BinaryInteger) { append(contentsOf: "\(number)".utf8) }

  /// Appends a text that ends with the name of a member, and a number.
  package mutating func put(_ name: StaticString, _ number: some BinaryInteger) {
    put(name)
    put(number)
  }

  /// Appends a text that ends with the name of a member, and a JSON value.
  package mutating func put(_ name: StaticString = "", json: [UInt8]) {
    put(name)
    append(contentsOf: json)
  }

  /// Appends a text that ends with the name of a member, and a string, escaped and in quotation
  /// marks.
  package mutating func put(_ name: StaticString = "", string: String) {
    put(name)
    append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(byte)
      case 0..<0x20:
        put("\\u00")
        append(UInt8(ascii: byte < 0x10 ? "0" : "1"))
        append(Array("0123456789abcdef".utf8)[Int(byte & 0xF)])
      default: append(byte)
      }
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends elements, separated by commas, in brackets.
  package mutating func put<Elements: Collection>(
    list elements: Elements, _ element: (inout [UInt8], Elements.Element) -> Void
  ) {
    put("[")
    var isFirst = true
    for value in elements {
      if !isFirst { put(",") }
      isFirst = false
      element(&self, value)
    }
    put("]")
  }
}

/// Reads the values of members.
extension JSONElement {
  /// The value of a whole number, or `nil` for other values.
  package func integer<Number: FixedWidthInteger>(as type: Number.Type = Int.self) -> Number? {
    kind == .number ? Number(String(decoding: bytes, as: UTF8.self)) : nil
  }

  /// The JSON of the value.
  package var json: [UInt8] { Array(bytes) }
}
