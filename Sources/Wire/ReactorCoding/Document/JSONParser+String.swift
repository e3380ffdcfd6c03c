extension JSONParser {
  /// Advances past the string at `position` and checks its escapes and UTF-8.
  ///
  /// - Returns: Whether the string contains escapes.
  mutating func string(_ text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
    var hasEscapes = false
    position += 1
    while position < text.count {
      let byte = text[position]
      switch byte {
      case ASCII.quote:
        position += 1
        return hasEscapes
      case ASCII.backslash:
        hasEscapes = true
        try escape(text)
      case ..<ASCII.space:
        throw JSONSyntaxError(
          offset: position, reason: "A control character in a string must be escaped.")
      case ..<0x80:
        position += 1
      default:
        try multibyte(text)
      }
    }
    throw endsTooSoon(text, expecting: "the end of a string")
  }

  private mutating func escape(_ text: Span<UInt8>) throws(JSONSyntaxError) {
    let start = position
    position += 1
    guard position < text.count else { throw endsTooSoon(text, expecting: "an escape") }
    switch text[position] {
    case ASCII.quote, ASCII.backslash, ASCII.slash, UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    case ASCII.lowerU:
      let unit = try hexadecimal(text)
      switch unit {
      case 0xD800..<0xDC00:
        // The low surrogate may be cut off by the end of the text or replaced by something else.
        guard position < text.count else { throw endsTooSoon(text, expecting: "an escape") }
        guard text[position] == ASCII.backslash else { throw loneSurrogate(at: start) }
        position += 1
        guard position < text.count else { throw endsTooSoon(text, expecting: "an escape") }
        guard text[position] == ASCII.lowerU else { throw loneSurrogate(at: start) }
        guard 0xDC00..<0xE000 ~= (try hexadecimal(text)) else { throw loneSurrogate(at: start) }
      case 0xDC00..<0xE000:
        throw loneSurrogate(at: start)
      default:
        break
      }
    default:
      throw JSONSyntaxError(offset: position, reason: "There is no such escape in JSON.")
    }
  }

  /// Advances past the `u` at `position` and four hexadecimal digits, and returns their value.
  private mutating func hexadecimal(_ text: Span<UInt8>) throws(JSONSyntaxError) -> UInt32 {
    position += 1
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard position < text.count else { throw endsTooSoon(text, expecting: "a hexadecimal digit") }
      guard let digit = ASCII.hexDigit(text[position]) else {
        throw JSONSyntaxError(offset: position, reason: "A hexadecimal digit is expected here.")
      }
      unit = unit << 4 | digit
      position += 1
    }
    return unit
  }

  private func loneSurrogate(at offset: Int) -> JSONSyntaxError {
    JSONSyntaxError(offset: offset, reason: "This escape is half of a surrogate pair.")
  }

  /// Advances past a character of two to four bytes (Unicode 16, table 3-7: shortest forms only, no
  /// surrogates, nothing above U+10FFFF).
  private mutating func multibyte(_ text: Span<UInt8>) throws(JSONSyntaxError) {
    let start = position
    let lead = text[start]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw JSONSyntaxError(offset: start, reason: "This is not UTF-8.")
    }
    for index in 1..<length {
      guard start + index < text.count else {
        throw endsTooSoon(text, expecting: "the rest of a character")
      }
      let allowed = index == 1 ? second : 0x80...0xBF
      guard allowed.contains(text[start + index]) else {
        throw JSONSyntaxError(offset: start, reason: "This is not UTF-8.")
      }
    }
    position = start + length
  }
}
