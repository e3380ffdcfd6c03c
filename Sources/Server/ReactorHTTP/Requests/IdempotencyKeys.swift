internal import ReactorTransport
internal import ReactorCoding

/// The value of `Idempotency-Key`: a bare name, or a quoted string of RFC 9651.
enum IdempotencyKeys {
  private static let lengths = 1...128

  /// Parses the field of a request, or returns `nil` if it is absent.
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

  /// Parses the value of a field, or returns `nil` if it is malformed.
  static func read(_ field: String) -> String? {
    let text = field.trimmingSpaces().utf8
    let isQuoted = text.first == UInt8(ascii: "\"")
    guard let name = isQuoted ? unquoted(text) : bare(text), lengths.contains(name.count) else {
      return nil
    }
    return String(decoding: name, as: UTF8.self)
  }

  private static func bare(_ text: Substring.UTF8View) -> [UInt8]? {
    // A space means that two fields were sent and joined.
    let isName = text.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
    return isName ? Array(text) : nil
  }

  /// Returns the content of a quoted string, or `nil` if it is malformed.
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
