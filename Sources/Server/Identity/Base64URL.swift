/// The URL-safe alphabet of Base64 without padding (RFC 4648, 5), as JSON Web Signature uses it.
enum Base64URL {
  /// Decodes a text strictly, or returns `nil` for padding, white space, foreign characters, an impossible
  /// length, or unused bits that are not 0 (RFC 4648, 3.5), so that each value has one encoding.
  static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    let rest = text.count % 4
    guard rest != 1 else { return nil }
    let values = values.span
    // The bits of all values that were read, and those that the bytes do not contain.
    var (seen, unused): (UInt8, UInt8) = (0, 0)
    let bytes = [UInt8](capacity: text.count * 3 / 4) { output in
      var index = 0
      while index + 4 <= text.count {
        let (first, second) = (values[Int(text[index])], values[Int(text[index + 1])])
        let (third, fourth) = (values[Int(text[index + 2])], values[Int(text[index + 3])])
        seen |= first | second | third | fourth
        output.append(first << 2 | second >> 4)
        output.append(second << 4 | third >> 2)
        output.append(third << 6 | fourth)
        index += 4
      }
      guard rest > 0 else { return }
      let (first, second) = (values[Int(text[index])], values[Int(text[index + 1])])
      let third = rest == 3 ? values[Int(text[index + 2])] : 0
      seen |= first | second | third
      output.append(first << 2 | second >> 4)
      if rest == 3 { output.append(second << 4 | third >> 2) }
      unused = rest == 3 ? third & 0x3 : second & 0xF
    }
    return seen < 64 && unused == 0 ? bytes : nil
  }

  /// Decodes a text in the standard alphabet with padding (RFC 4648, 4), or returns `nil` as above.
  static func decode(standard text: String) -> [UInt8]? {
    let digits = text.utf8.reversed().drop { $0 == UInt8(ascii: "=") }.reversed()
    guard text.utf8.count % 4 == 0, text.utf8.count - digits.count <= 2 else { return nil }
    let urlSafe: [UInt8] = digits.map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      // Not in the standard alphabet.
      case UInt8(ascii: "-"), UInt8(ascii: "_"): 0
      default: byte
      }
    }
    return decode(urlSafe.span)
  }

  /// Encodes bytes.
  static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let alphabet = alphabet
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var accumulator: UInt32 = 0
    var bits = 0
    for byte in bytes {
      accumulator = accumulator << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(accumulator >> UInt32(bits) & 63)])
      }
    }
    if bits > 0 { text.append(alphabet[Int(accumulator << UInt32(6 - bits) & 63)]) }
    return text
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The value of each byte, and 64 for bytes that are not in the alphabet.
  private static let values = {
    var values = [UInt8](repeating: 64, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}
