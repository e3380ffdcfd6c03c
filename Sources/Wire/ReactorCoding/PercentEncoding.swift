/// Percent-encoding (RFC 3986, 2.1).
package enum PercentEncoding {
  /// Whether a byte needs no escape (RFC 3986, 2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
  }

  /// Appends a text as one segment of a path or one value of a query.
  package static func append(_ text: String, to encoded: inout [UInt8]) {
    let digits: StaticString = "0123456789ABCDEF"
    for byte in text.utf8 {
      guard !isUnreserved(byte) else {
        encoded.append(byte)
        continue
      }
      digits.withUTF8Buffer { digits in
        unsafe encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }

  /// Encodes a text as one segment of a path or one value of a query.
  package static func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count)
    append(text, to: &encoded)
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Decodes bytes, or returns `nil` for a broken escape or if the result is not UTF-8.
  @inlinable
  package static func decode(
    _ bytes: some Collection<UInt8>, plusIsSpace: Bool = false
  ) -> String? {
    guard bytes.contains(where: { $0 == 0x25 || (plusIsSpace && $0 == 0x2B) }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    return decodeEscapes([UInt8](bytes), plusIsSpace)
  }

  /// Not generic: a generic function that another module calls without a specialization took 360 ns per byte.
  @usableFromInline
  package static func decodeEscapes(_ bytes: [UInt8], _ plusIsSpace: Bool) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var next = bytes.makeIterator()
    while let byte = next.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = digit(next.next()), let low = digit(next.next()) else { return nil }
        decoded.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
      default: decoded.append(byte)
      }
    }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8?) -> UInt8? {
    byte.flatMap { ASCII.hexDigit($0) }.map { UInt8($0) }
  }
}
