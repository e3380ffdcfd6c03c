/// Resolves the escapes of strings that the parser has checked.
enum JSONEscapes {
  /// The text that the bytes between a string's quotes stand for.
  static func resolve(_ raw: UnsafeBufferPointer<UInt8>) -> String {
    // An escape is never shorter than what it stands for, so the raw length suffices.
    String(unsafeUninitializedCapacity: raw.count) { resolve(raw, into: $0) }
  }

  private static func resolve(
    _ raw: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var read = 0
    var written = 0
    while read < raw.count {
      let byte = raw[read]
      read += 1
      guard byte == ASCII.backslash, read < raw.count else {
        output[written] = byte
        written += 1
        continue
      }
      let escape = raw[read]
      read += 1
      guard escape == ASCII.lowerU else {
        output[written] = meaning(of: escape)
        written += 1
        continue
      }
      var scalar = codeUnit(raw, at: read)
      read += 4
      if 0xD800..<0xDC00 ~= scalar {
        let low = codeUnit(raw, at: read + 2)
        read += 6
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
      }
      for unit in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}")
        ?? UTF8.encodedReplacementCharacter
      {
        output[written] = unit
        written += 1
      }
    }
    return written
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

  private static func codeUnit(_ raw: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32 {
    guard start + 4 <= raw.count else { return 0xFFFD }
    return raw[start..<start + 4].reduce(0) { $0 << 4 | (ASCII.hexDigit($1) ?? 0) }
  }
}
