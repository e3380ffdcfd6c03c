/// Resolves the escapes of strings that the parser has validated.
enum JSONEscapes {
  /// Returns the content of a string, given the bytes between its quotes.
  static func resolve(_ raw: Span<UInt8>) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(raw.count)
    var read = 0
    while read < raw.count {
      let byte = raw[read]
      read += 1
      guard byte == ASCII.backslash, read < raw.count else {
        output.append(byte)
        continue
      }
      let escape = raw[read]
      read += 1
      guard escape == ASCII.lowerU else {
        output.append(meaning(of: escape))
        continue
      }
      var scalar = codeUnit(raw, at: read)
      read += 4
      if 0xD800..<0xDC00 ~= scalar {
        let low = codeUnit(raw, at: read + 2)
        read += 6
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
      }
      output +=
        UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func meaning(of escape: UInt8) -> UInt8 {
    switch escape {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): ASCII.lineFeed
    case UInt8(ascii: "r"): ASCII.carriageReturn
    case UInt8(ascii: "t"): ASCII.tab
    default: escape
    }
  }

  private static func codeUnit(_ raw: Span<UInt8>, at start: Int) -> UInt32 {
    guard start + 4 <= raw.count else { return 0xFFFD }
    var unit: UInt32 = 0
    for index in start..<start + 4 { unit = unit << 4 | (ASCII.hexDigit(raw[index]) ?? 0) }
    return unit
  }
}
