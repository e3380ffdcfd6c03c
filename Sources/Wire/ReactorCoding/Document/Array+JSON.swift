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
      while true {
        let end = unsafe text.endOfUnescaped(from: start)
        unsafe append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
        guard end < text.count else { break }
        unsafe appendEscape(text[end])
        start = end + 1
      }
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

extension UnsafeBufferPointer<UInt8> {
  /// The index of the first byte from a position on that is escaped in a JSON string.
  fileprivate func endOfUnescaped(from start: Int) -> Int {
    var index = start
    // Eight bytes at a time: the high bit of each byte of the last three words marks one to stop at.
    // https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
    // Portable: whether one exists is the same in each order of the bytes.
    let ones: UInt64 = 0x0101_0101_0101_0101
    if let first = unsafe UnsafeRawPointer(baseAddress) {
      while index + 8 <= count {
        let word = unsafe first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let quotes = word ^ (ones &* UInt64(ASCII.quote))
        let backslashes = word ^ (ones &* UInt64(ASCII.backslash))
        let control = (word &- ones &* UInt64(ASCII.space)) & ~word
        let quote = (quotes &- ones) & ~quotes
        let backslash = (backslashes &- ones) & ~backslashes
        guard (control | quote | backslash) & (ones &* 0x80) == 0 else { break }
        index += 8
      }
    }
    while index < count, unsafe !self[index].isEscapedInJSON { index += 1 }
    return index
  }
}

extension UInt8 {
  /// Whether RFC 8259 requires an escape for the byte in a string.
  fileprivate var isEscapedInJSON: Bool {
    self < ASCII.space || self == ASCII.quote || self == ASCII.backslash
  }
}
