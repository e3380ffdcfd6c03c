/// The text of a path: `/` and percent-encoded parts.
enum FlowPath {
  /// The maximum length of a path.
  static let byteLimit = 2_048

  /// The maximum number of parts.
  static let partLimit = 64

  /// The parts of a path, decoded; `nil` if it is malformed or exceeds a limit.
  static func parts(of path: String) -> [String]? {
    let bytes = path.utf8
    guard bytes.count <= byteLimit, bytes.first == slash else { return nil }
    if bytes.count == 1 { return [] }
    let parts = bytes.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
    guard parts.count <= partLimit else { return nil }
    let decoded = parts.compactMap(decode)
    return decoded.count == parts.count ? decoded : nil
  }

  static func append(_ part: String, to path: inout [UInt8]) {
    path.append(slash)
    for byte in part.utf8 {
      if isUnreserved(byte) {
        path.append(byte)
      } else {
        path.append(UInt8(ascii: "%"))
        path.append(digits[Int(byte >> 4)])
        path.append(digits[Int(byte & 15)])
      }
    }
  }

  /// Whether a byte needs no escape (RFC 3986, 2.3).
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
    default: false
    }
  }

  private static let slash = UInt8(ascii: "/")
  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func decode(_ bytes: Substring.UTF8View) -> String? {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else { return nil }
      decoded.append(high << 4 | low)
    }
    return String(validating: decoded, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8?) -> UInt8? {
    switch byte {
    case .some(UInt8(ascii: "0")...UInt8(ascii: "9")): byte.map { $0 - UInt8(ascii: "0") }
    case .some(UInt8(ascii: "a")...UInt8(ascii: "f")): byte.map { $0 - UInt8(ascii: "a") + 10 }
    case .some(UInt8(ascii: "A")...UInt8(ascii: "F")): byte.map { $0 - UInt8(ascii: "A") + 10 }
    default: nil
    }
  }
}
