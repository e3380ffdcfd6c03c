extension [UInt8] {
  /// Appends `null`.
  @inline(__always)
  mutating func appendJSONNull() {
    append(contentsOf: [
      UInt8(ascii: "n"), ASCII.lowerU, UInt8(ascii: "l"), UInt8(ascii: "l"),
    ])
  }

  /// Appends `true` or `false`.
  mutating func appendJSON(_ value: Bool) {
    append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Appends an integer.
  @inline(__always)
  mutating func appendJSON<Integer: FixedWidthInteger>(_ value: Integer) {
    if value >= 0, value < 10 {
      append(ASCII.zero + UInt8(truncatingIfNeeded: value))
    } else {
      appendDigits(value)
    }
  }

  private mutating func appendDigits<Integer: FixedWidthInteger>(_ value: Integer) {
    // 128 bits have at most 39 digits, plus a sign.
    var digits = InlineArray<40, UInt8>(repeating: ASCII.minus)
    var magnitude = value.magnitude
    var start = digits.count
    repeat {
      let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
      start -= 1
      digits[start] = ASCII.zero + UInt8(truncatingIfNeeded: remainder)
      magnitude = quotient
    } while magnitude != 0
    if value < 0 { start -= 1 }
    for index in start..<digits.count { append(digits[index]) }
  }

  /// Appends a finite floating-point value: without a fraction if it is an integer that the type
  /// represents exactly, otherwise in the shortest form that round-trips.
  mutating func appendJSON<Value: BinaryFloatingPoint & CustomStringConvertible>(_ value: Value) {
    let exactIntegers = Value(
      sign: .plus, exponent: Value.Exponent(Value.significandBitCount + 1), significand: 1)
    if value.magnitude < exactIntegers, value.rounded(.towardZero) == value {
      if value == 0, value.sign == .minus { append(ASCII.minus) }
      appendJSON(Int64(value))
    } else {
      append(contentsOf: value.description.utf8)
    }
  }

  /// Appends a quoted string, escaping only what RFC 8259 requires.
  mutating func appendJSON(_ value: String) {
    var value = value
    value.withUTF8 { text in
      append(ASCII.quote)
      var start = 0
      var index = 0
      while index < text.count {
        let byte = unsafe text[index]
        if byte < ASCII.space || byte == ASCII.quote || byte == ASCII.backslash {
          unsafe append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
          appendEscape(byte)
          start = index + 1
        }
        index += 1
      }
      unsafe append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
      append(ASCII.quote)
    }
  }

  private mutating func appendEscape(_ byte: UInt8) {
    append(ASCII.backslash)
    switch byte {
    case ASCII.quote, ASCII.backslash: append(byte)
    case 0x08: append(UInt8(ascii: "b"))
    case 0x0C: append(UInt8(ascii: "f"))
    case ASCII.lineFeed: append(UInt8(ascii: "n"))
    case ASCII.carriageReturn: append(UInt8(ascii: "r"))
    case ASCII.tab: append(UInt8(ascii: "t"))
    default:
      let low = byte & 0xF
      append(ASCII.lowerU)
      append(ASCII.zero)
      append(ASCII.zero)
      append(ASCII.zero + byte >> 4)
      append(low < 10 ? ASCII.zero + low : UInt8(ascii: "a") + low - 10)
    }
  }
}
