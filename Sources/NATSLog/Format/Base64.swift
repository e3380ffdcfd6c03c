/// Decodes standard Base64 with padding, as the brokers' API writes it.
enum Base64 {
  /// The characters of the digits.
  static let letters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, byte) in letters.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }()

  /// The bytes of a text; `nil` for a text that is no Base64.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var buffer: UInt32 = 0
    var bits = 0
    let digits = text.prefix { $0 != UInt8(ascii: "=") }
    guard text.count.isMultiple(of: 4), text.count - digits.count <= 2 else { return nil }
    for digit in digits {
      let value = values[Int(digit)]
      guard value < 64 else { return nil }
      buffer = buffer << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return bytes
  }
}
