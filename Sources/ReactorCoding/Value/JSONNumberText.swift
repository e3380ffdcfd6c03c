/// Converts the text of a number that the parser has checked.
struct JSONNumberText {
  let text: UnsafeBufferPointer<UInt8>

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  /// The integer, exactly; `nil` if the number has a fraction or does not fit.
  func integer<Integer: FixedWidthInteger>() -> Integer? {
    var value: Integer = 0
    var index = 0
    let isNegative = text.first == ASCII.minus
    if isNegative { index = 1 }
    while index < text.count {
      // What overflows may yet be made smaller by an exponent.
      guard let digit = ASCII.digit(text[index]),
        let next = Self.append(digit, to: value, isNegative: isNegative)
      else { return scaledInteger() }
      value = next
      index += 1
    }
    return value
  }

  /// The integer of a number that is written with a dot or an exponent.
  private func scaledInteger<Integer: FixedWidthInteger>() -> Integer? {
    let parts = JSONNumberParts(text)
    var value: Integer = 0
    for digit in parts.digits {
      guard let next = Self.append(digit, to: value, isNegative: parts.isNegative) else {
        return nil
      }
      value = next
    }
    guard value != 0 else { return parts.digits.isEmpty ? 0 : nil }
    // The digits end in one that is not 0: a negative exponent leaves a fraction, and a large one
    // overflows within as many steps as the type has digits.
    guard parts.exponent >= 0 else { return nil }
    for _ in 0..<parts.exponent {
      guard let next = Self.append(0, to: value, isNegative: parts.isNegative) else { return nil }
      value = next
    }
    return value
  }

  /// Whether the number has no fraction, whatever its size.
  var isIntegral: Bool {
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

  /// The nearest value; `nil` beyond the range of the type.
  func floatingPoint<Value: LosslessStringConvertible & BinaryFloatingPoint>() -> Value? {
    if let exact: Value = shortFloatingPoint() { return exact }
    guard let value = Value(String(decoding: text, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// The value of a short number without an exponent: digits and a power of ten that are both
  /// exact, so that one division rounds correctly (Clinger's fast path).
  @inline(__always)
  private func shortFloatingPoint<Value: BinaryFloatingPoint>() -> Value? {
    guard text.count <= 17 else { return nil }
    var digits: UInt64 = 0
    var decimals = 0
    var hasDot = false
    for byte in text {
      if let digit = ASCII.digit(byte) {
        digits = digits &* 10 &+ UInt64(digit)
        if hasDot { decimals += 1 }
      } else if byte == ASCII.dot {
        hasDot = true
      } else if byte != ASCII.minus {
        return nil
      }
    }
    // 10^10 is the largest power of ten that Float holds exactly.
    guard digits >> UInt64(Value.significandBitCount + 1) == 0, decimals <= 10 else { return nil }
    var scale: UInt64 = 1
    for _ in 0..<decimals { scale &*= 10 }
    let magnitude = decimals == 0 ? Value(digits) : Value(digits) / Value(scale)
    return text.first == ASCII.minus ? -magnitude : magnitude
  }
}
