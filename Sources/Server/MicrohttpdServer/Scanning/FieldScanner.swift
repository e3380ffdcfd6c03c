/// Recognizes the header fields that delimit requests, and parses their values.
struct FieldScanner {
  /// The fields that the scanner distinguishes.
  enum Kind: Sendable {
    case contentLength, transferEncoding, host, cookie, other
  }

  private static let nameLimit = 17

  /// The kind of the field, after its name.
  private(set) var kind = Kind.other

  private var nameCount = 0
  private var name = InlineArray<17, UInt8>(repeating: 0)
  /// The number of digits, or of matching letters of `chunked`.
  private var matched = 0
  private var parsed: UInt64 = 0
  /// Whether white space followed the value.
  private var hasEnded = false

  /// Whether the value is not parsed.
  var isOrdinary: Bool { kind == .other || kind == .host }

  /// The value of `Content-Length`, or `nil` without digits, or with white space behind them, which
  /// libmicrohttpd does not ignore.
  var number: UInt64? { matched > 0 && !hasEnded ? parsed : nil }

  /// Whether the value is `chunked`, without white space behind it.
  var isChunked: Bool { matched == 7 && !hasEnded }

  mutating func appendToName(_ byte: UInt8) {
    // Among the letters of tokens, only A to Z become other letters.
    if nameCount < Self.nameLimit { name[nameCount] = byte | 0x20 }
    nameCount += 1
  }

  /// Appends bytes of a buffer; the name of a field that is not distinguished is not stored.
  mutating func appendToName(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
  ) {
    guard nameCount + end - start <= Self.nameLimit else { return nameCount += end - start }
    for index in start..<end { unsafe appendToName(bytes[index]) }
  }

  /// Creates a scanner before the first byte of the name.
  init() {}

  /// Creates a scanner that has read a whole name.
  init(name: UnsafeBufferPointer<UInt8>) {
    kind = Self.kind(ofNameWith: name.count) { unsafe name[$0] | 0x20 }
  }

  /// Ends the name.
  ///
  /// - Returns: `false` if it is empty.
  mutating func endName() -> Bool {
    kind = Self.kind(ofNameWith: nameCount) { name[$0] }
    return nameCount > 0
  }

  /// The kind of the field with a name.
  ///
  /// - Parameters:
  ///   - count: The length of the name.
  ///   - byte: Returns a byte of the name, in lowercase.
  /// - Returns: The kind.
  private static func kind(ofNameWith count: Int, _ byte: (Int) -> UInt8) -> Kind {
    func equals(_ known: StaticString) -> Bool {
      (0..<count).allSatisfy { unsafe byte($0) == known.utf8Start[$0] }
    }
    return switch count {
    case 4 where equals("host"): .host
    case 6 where equals("cookie"): .cookie
    case 14 where equals("content-length"): .contentLength
    case 17 where equals("transfer-encoding"): .transferEncoding
    default: .other
    }
  }

  /// Parses one byte of the value.
  ///
  /// - Returns: `false` if it is invalid in this field.
  mutating func appendToValue(_ byte: UInt8) -> Bool {
    switch kind {
    case .host, .cookie, .other: return true
    case .contentLength, .transferEncoding: break
    }
    if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") {
      hasEnded = matched > 0
      return true
    }
    guard !hasEnded else { return false }
    if kind == .contentLength {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return false }
      let (product, overflows) = parsed.multipliedReportingOverflow(by: 10)
      let (sum, carries) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
      guard !overflows, !carries else { return false }
      parsed = sum
    } else {
      let chunked: StaticString = "chunked"
      guard matched < chunked.utf8CodeUnitCount,
        unsafe byte | 0x20 == chunked.utf8Start[matched]
      else { return false }
    }
    matched += 1
    return true
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns the index of the first byte at or after a position that does not occur in a token.
  func endOfToken(from start: Int) -> Int {
    var index = start
    while index < count, unsafe self[index].isToken { index += 1 }
    return index
  }

  /// Returns the index of the first byte at or after a position that is 0x7F or below `lowest`,
  /// which is at most 0x80.
  func endOfText(from start: Int, lowest: UInt8) -> Int {
    var index = start
    // Eight bytes at a time: the high bit of each byte of `low` and `delete` marks one to stop at.
    // https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
    // Portable: whether one exists is the same in each order of the bytes.
    let ones: UInt64 = 0x0101_0101_0101_0101
    guard let first = unsafe UnsafeRawPointer(baseAddress) else { return start }
    while index + 8 <= count {
      let word = unsafe first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let low = (word &- ones &* UInt64(lowest)) & ~word
      let masked = word ^ (ones &* 0x7F)
      let delete = (masked &- ones) & ~masked
      guard (low | delete) & (ones &* 0x80) == 0 else { break }
      index += 8
    }
    while index < count, unsafe self[index] >= lowest, unsafe self[index] != 0x7F { index += 1 }
    return index
  }
}

extension UInt8 {
  /// Whether the byte may occur in a method or a field name (RFC 9110, 5.6.2).
  var isToken: Bool {
    // One bit per ASCII character.
    let tokens: (UInt64, UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    guard self < 128 else { return false }
    return (self < 64 ? tokens.0 : tokens.1) >> UInt64(self & 63) & 1 == 1
  }

  /// Whether the byte may occur in a field value or a chunk extension: no control character but a tab.
  var isFieldText: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

  /// The value of a hexadecimal digit.
  var hexadecimalDigit: UInt64? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(self - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(self - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
