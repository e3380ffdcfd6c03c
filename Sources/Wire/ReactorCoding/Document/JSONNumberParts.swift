/// A decimal number decomposed into `digits` × 10^`exponent`.
struct JSONNumberParts {
  let isNegative: Bool

  /// The significant digits without leading and trailing zeros; empty for 0.
  private(set) var digits: [UInt8] = []

  /// The power of ten, clamped to ±2^32, which no text that fits in memory can compensate.
  private(set) var exponent = 0

  init(_ text: Span<UInt8>) {
    isNegative = text[0] == ASCII.minus
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
    exponent += Self.writtenExponent(text.extracting(droppingFirst: min(index + 1, text.count)))
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
  }

  private static func writtenExponent(_ text: Span<UInt8>) -> Int {
    var magnitude = 0
    for index in text.indices {
      guard let digit = ASCII.digit(text[index]) else { continue }
      magnitude = min(magnitude * 10 + Int(digit), 1 << 32)
    }
    return !text.isEmpty && text[0] == ASCII.minus ? -magnitude : magnitude
  }
}
