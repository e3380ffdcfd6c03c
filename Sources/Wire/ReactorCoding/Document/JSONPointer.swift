/// A JSON Pointer (RFC 6901).
public struct JSONPointer: Hashable, Sendable {
  /// The unescaped reference tokens; empty for the whole text.
  public var tokens: [String]

  /// The pointer to the whole text.
  public static let root = JSONPointer(tokens: [])

  /// Creates a pointer from unescaped tokens.
  public init(tokens: [String]) {
    self.tokens = tokens
  }

  /// Parses a pointer: empty, or a `/` before each token, with `~0` for `~` and `~1` for `/`.
  ///
  /// - Throws: The position and reason of a syntax error.
  public init(_ text: String) throws(JSONPointerSyntaxError) {
    tokens = []
    var token: [UInt8] = []
    var offset = 0
    var isEscaped = false
    for byte in text.utf8 {
      if offset == 0 {
        guard byte == ASCII.slash else {
          throw JSONPointerSyntaxError(offset: 0, reason: "A pointer is empty or starts with /.")
        }
      } else if isEscaped {
        switch byte {
        case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
        case UInt8(ascii: "1"): token.append(ASCII.slash)
        default: throw Self.badEscape(at: offset - 1)
        }
        isEscaped = false
      } else if byte == UInt8(ascii: "~") {
        isEscaped = true
      } else if byte == ASCII.slash {
        tokens.append(String(decoding: token, as: UTF8.self))
        token.removeAll(keepingCapacity: true)
      } else {
        token.append(byte)
      }
      offset += 1
    }
    guard !isEscaped else { throw Self.badEscape(at: offset - 1) }
    if offset > 0 { tokens.append(String(decoding: token, as: UTF8.self)) }
  }

  private static func badEscape(at offset: Int) -> JSONPointerSyntaxError {
    JSONPointerSyntaxError(offset: offset, reason: "Only 0 or 1 may follow ~.")
  }
}

extension JSONPointer {
  /// Whether both pointers have the same tokens, byte by byte.
  public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
    left.tokens.count == right.tokens.count && left.starts(with: right)
  }

  /// Hashes the bytes of the tokens.
  public func hash(into hasher: inout Hasher) {
    for token in tokens { hasher.combine(UTF8Text(token)) }
  }

  /// Whether the first tokens are those of `other`.
  func starts(with other: JSONPointer) -> Bool {
    tokens.count >= other.tokens.count
      && zip(tokens, other.tokens).allSatisfy { $0.hasSameBytes(as: $1) }
  }
}

extension JSONPointer: CustomStringConvertible {
  /// The pointer in RFC 6901 notation.
  public var description: String {
    var text: [UInt8] = []
    for token in tokens {
      text.append(ASCII.slash)
      for byte in token.utf8 {
        switch byte {
        case UInt8(ascii: "~"): text += [byte, UInt8(ascii: "0")]
        case ASCII.slash: text += [UInt8(ascii: "~"), UInt8(ascii: "1")]
        default: text.append(byte)
        }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
