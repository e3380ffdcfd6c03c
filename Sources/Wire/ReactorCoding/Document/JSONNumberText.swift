/// Converts the text of a number that the parser has validated.
enum JSONNumberText {
  /// Returns the exact integer, or `nil` if the number has a fraction or does not fit.
  static func integer<Integer: FixedWidthInteger>(_ text: Span<UInt8>) -> Integer? {
    var value: Integer = 0
    var index = 0
    let isNegative = text[0] == ASCII.minus
    if isNegative { index = 1 }
    while index < text.count {
      // A negative exponent may still bring an overflowing value into range.
      guard let digit = ASCII.digit(text[index]),
        let next = append(digit, to: value, isNegative: isNegative)
      else { return scaledInteger(text) }
      value = next
      index += 1
    }
    return value
  }

  /// Returns the integer of a number written with a dot or an exponent.
  private static func scaledInteger<Integer: FixedWidthInteger>(_ text: Span<UInt8>) -> Integer? {
    let parts = JSONNumberParts(text)
    var value: Integer = 0
    for digit in parts.digits {
      guard let next = append(digit, to: value, isNegative: parts.isNegative) else {
        return nil
      }
      value = next
    }
    guard value != 0 else { return parts.digits.isEmpty ? 0 : nil }
    // The last digit is not 0, so a negative exponent leaves a fraction, and a large exponent
    // overflows after as many steps as the type has digits.
    guard parts.exponent >= 0 else { return nil }
    for _ in 0..<parts.exponent {
      guard let next = append(0, to: value, isNegative: parts.isNegative) else { return nil }
      value = next
    }
    return value
  }

  /// Whether the number has no fraction, regardless of its size.
  static func isIntegral(_ text: Span<UInt8>) -> Bool {
    let parts = JSONNumberParts(text)
    return parts.digits.isEmpty || parts.exponent >= 0
  }

  @inline(__always)
  private static func append<Integer: FixedWidthInteger>(
    _ digit: UInt8, to value: Integer, isNegative: Bool
  ) -> Integer? {
    let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
    guard !overflow else { return nil }
    let (sum, carry) =
      isNegative
      ? shifted.subtractingReportingOverflow(Integer(truncatingIfNeeded: digit))
      : shifted.addingReportingOverflow(Integer(truncatingIfNeeded: digit))
    return carry ? nil : sum
  }

  /// Returns the nearest value, or `nil` beyond the range of the type.
  static func floatingPoint<Value: LosslessStringConvertible & BinaryFloatingPoint>(
    _ text: Span<UInt8>
  ) -> Value? {
    if let exact: Value = shortFloatingPoint(text) { return exact }
    guard let ascii = try? UTF8Span(validating: text), let value = Value(String(copying: ascii)),
      value.isFinite
    else { return nil }
    return value
  }

  /// Converts a short number without an exponent by one division of two exact values, which rounds
  /// correctly (Clinger's fast path).
  @inline(__always)
  private static func shortFloatingPoint<Value: BinaryFloatingPoint>(
    _ text: Span<UInt8>
  ) -> Value? {
    guard text.count <= 17 else { return nil }
    var digits: UInt64 = 0
    var decimals = 0
    var hasDot = false
    for index in text.indices {
      let byte = text[index]
      if let digit = ASCII.digit(byte) {
        digits = digits &* 10 &+ UInt64(digit)
        if hasDot { decimals += 1 }
      } else if byte == ASCII.dot {
        hasDot = true
      } else if byte != ASCII.minus {
        return nil
      }
    }
    // 10^10 is the largest power of ten that Float represents exactly.
    guard digits >> UInt64(Value.significandBitCount + 1) == 0, decimals <= 10 else { return nil }
    var scale: UInt64 = 1
    for _ in 0..<decimals { scale &*= 10 }
    let magnitude = decimals == 0 ? Value(digits) : Value(digits) / Value(scale)
    return text[0] == ASCII.minus ? -magnitude : magnitude
  }
}
