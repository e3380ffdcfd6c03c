extension JSONParser {
  /// Advances past the number at `position` and checks its grammar (RFC 8259, section 6).
  mutating func number(_ text: Span<UInt8>) throws(JSONSyntaxError) {
    if text[position] == ASCII.minus { position += 1 }
    if position < text.count, text[position] == ASCII.zero {
      position += 1
      if position < text.count, ASCII.digit(text[position]) != nil {
        throw JSONSyntaxError(offset: position, reason: "A number must not start with 0.")
      }
    } else {
      try digits(text)
    }
    if position < text.count, text[position] == ASCII.dot {
      position += 1
      try digits(text)
    }
    if position < text.count, text[position] | 0x20 == ASCII.lowerE {
      position += 1
      if position < text.count, text[position] == ASCII.plus || text[position] == ASCII.minus {
        position += 1
      }
      try digits(text)
    }
  }

  /// Advances past one or more digits.
  @inline(__always)
  private mutating func digits(_ text: Span<UInt8>) throws(JSONSyntaxError) {
    guard position < text.count else { throw endsTooSoon(text, expecting: "a digit") }
    guard ASCII.digit(text[position]) != nil else {
      throw JSONSyntaxError(offset: position, reason: "A digit is expected here.")
    }
    repeat {
      position += 1
    } while position < text.count && ASCII.digit(text[position]) != nil
  }
}
