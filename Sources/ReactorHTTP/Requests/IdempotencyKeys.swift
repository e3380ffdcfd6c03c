internal import ReactorCoding

/// The value of `Idempotency-Key`: a name in quotes, with backslashes before quotes and backslashes
/// that are part of it, or bare.
enum IdempotencyKeys {
  private static let lengths = 1...128

  /// Reads the field of a request; `nil` where it is not there.
  static func read(_ request: HTTPRequest) throws(Problem) -> String? {
    guard let field = request[header: .idempotencyKey] else { return nil }
    guard let key = read(field) else {
      throw Problem(
        .invalidParameter,
        """
        Idempotency-Key takes one name of 1 to 128 visible characters of ASCII, in quotes or bare.
        """,
        members: [.init("parameter", .string("Idempotency-Key"))])
    }
    return key
  }

  /// Reads a field; `nil` where it is malformed.
  static func read(_ field: String) -> String? {
    let text = field.trimmingSpaces().utf8
    let isQuoted = text.first == UInt8(ascii: "\"")
    guard let name = isQuoted ? unquoted(text) : bare(text), lengths.contains(name.count) else {
      return nil
    }
    return String(decoding: name, as: UTF8.self)
  }

  private static func bare(_ text: Substring.UTF8View) -> [UInt8]? {
    // A space tells that two fields were sent, which together are none.
    let isName = text.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
    return isName ? Array(text) : nil
  }

  /// The inside of a string of RFC 9651.
  private static func unquoted(_ text: Substring.UTF8View) -> [UInt8]? {
    var name: [UInt8] = []
    var rest = text.dropFirst()
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return rest.isEmpty ? name : nil
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst(),
          escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
        else { return nil }
        name.append(escaped)
      case 0x20...0x7E: name.append(byte)
      default: return nil
      }
    }
    return nil
  }
}
