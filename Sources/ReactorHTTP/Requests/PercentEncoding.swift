/// Percent-encoding (RFC 3986, 2.1).
enum PercentEncoding {
  /// Decodes bytes; `nil` for a broken escape or if the result is not UTF-8.
  static func decode(
    _ bytes: some Collection<UInt8>, plusIsSpace: Bool = false
  ) -> String? {
    guard bytes.contains(where: { $0 == 0x25 || (plusIsSpace && $0 == 0x2B) }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else {
          return nil
        }
        decoded.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
      default: decoded.append(byte)
      }
    }
    return String(validating: decoded, as: UTF8.self)
  }

  /// Encodes a text for the value of a query parameter.
  static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.append(byte)
      default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// The value of a hexadecimal digit.
  private static func digit(_ byte: UInt8?) -> UInt8? {
    switch byte {
    case .some(UInt8(ascii: "0")...UInt8(ascii: "9")): byte.map { $0 - UInt8(ascii: "0") }
    case .some(UInt8(ascii: "a")...UInt8(ascii: "f")): byte.map { $0 - UInt8(ascii: "a") + 10 }
    case .some(UInt8(ascii: "A")...UInt8(ascii: "F")): byte.map { $0 - UInt8(ascii: "A") + 10 }
    default: nil
    }
  }
}
