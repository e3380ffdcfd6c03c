/// Percent-encoding (RFC 3986, 2.1).
enum PercentEncoding {
  /// The text that stands behind an encoded one; `nil` for a broken escape or broken UTF-8.
  static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    var text = text
    return text.withUTF8 { decode($0[...], plusIsSpace: plusIsSpace) }
  }

  /// The text that stands behind the encoded bytes of one.
  static func decode(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>, plusIsSpace: Bool = false
  ) -> String? {
    guard bytes.contains(where: { $0 == 0x25 || (plusIsSpace && $0 == 0x2B) }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      index = bytes.index(after: index)
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = hexadecimal(bytes, &index), let low = hexadecimal(bytes, &index) else {
          return nil
        }
        decoded.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
      default: decoded.append(byte)
      }
    }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func hexadecimal(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ index: inout Int
  ) -> UInt8? {
    guard index < bytes.endIndex else { return nil }
    defer { index = bytes.index(after: index) }
    return Character(UnicodeScalar(bytes[index])).hexDigitValue.map(UInt8.init)
  }

  /// A text with everything escaped that may not stand in one part of a query.
  static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}
