/// A decimal number taken apart: `digits` × 10^`exponent`.
struct JSONNumberParts {
  let isNegative: Bool

  /// The values of the significant digits, without zeros at either end; none for 0.
  private(set) var digits: [UInt8] = []

  /// The power of ten; kept within ±2^32, which no text that fits in memory can make up for.
  private(set) var exponent = 0

  init(_ text: UnsafeBufferPointer<UInt8>) {
    isNegative = text.first == ASCII.minus
    var hasDot = false
    var index = isNegative ? 1 : 0
    while index < text.count, text[index] | 0x20 != ASCII.lowerE {
      if let digit = ASCII.digit(text[index]) {
        if !(digits.isEmpty && digit == 0) { digits.append(digit) }
        if hasDot { exponent -= 1 }
      } else {
        hasDot = true
      }
      index += 1
    }
    exponent += Self.writtenExponent(text[min(index + 1, text.count)...])
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
  }

  private static func writtenExponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    var magnitude = 0
    for byte in text {
      guard let digit = ASCII.digit(byte) else { continue }
      magnitude = min(magnitude * 10 + Int(digit), 1 << 32)
    }
    return text.first == ASCII.minus ? -magnitude : magnitude
  }
}
