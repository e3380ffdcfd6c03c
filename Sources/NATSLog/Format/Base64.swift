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

  /// The bytes of a text, or `nil` for a text that is no Base64.
  static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 4) else { return nil }
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    // A byte that is not a digit sets the high bit.
    var invalid: UInt32 = 0
    let count = text.count / 4 * 3
    var bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, size in
      unsafe text.withUnsafeBufferPointer { text in
        unsafe values.withUnsafeBufferPointer { values in
          guard let digits = text.baseAddress, let values = values.baseAddress,
            let target = bytes.baseAddress
          else { return }
          // Proof: the loop reads `text.count` digits, a multiple of 4, and writes 3 bytes for each 4 of them;
          // the table has 256 values. Pointers, because the checks of each digit took a third of the time of
          // a read in a debug build.
          var index = 0
          while index < text.count {
            let last = index + 4 == text.count ? padding : 0
            let first = unsafe UInt32(values[Int(digits[index])])
            let second = unsafe UInt32(values[Int(digits[index &+ 1])])
            let third = last > 1 ? 0 : unsafe UInt32(values[Int(digits[index &+ 2])])
            let fourth = last > 0 ? 0 : unsafe UInt32(values[Int(digits[index &+ 3])])
            invalid |= first | second | third | fourth
            let group = first << 18 | second << 12 | third << 6 | fourth
            unsafe target[size] = UInt8(truncatingIfNeeded: group >> 16)
            unsafe target[size &+ 1] = UInt8(truncatingIfNeeded: group >> 8)
            unsafe target[size &+ 2] = UInt8(truncatingIfNeeded: group)
            size &+= 3
            index &+= 4
          }
        }
      }
    }
    guard invalid < 64 else { return nil }
    bytes.removeLast(padding)
    return bytes
  }
}
