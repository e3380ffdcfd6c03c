/// Writes a name, a dash and a number: the form of cursors and request ids.
///
/// Several are written per action. Writing bytes takes a third of the instructions of string
/// interpolation.
package struct IdentifierWriter: ~Copyable {
  private let name: String
  private let digits: InlineDigits
  private let quote: UInt8?

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - name: The text before the dash.
  ///   - number: The number after the dash; not negative.
  ///   - radix: The radix of the number, 2 to 36.
  ///   - quote: An ASCII character around the identifier, or `nil` for none.
  package init(_ name: String, _ number: Int, radix: UInt = 10, quote: UInt8? = nil) {
    self.name = name
    digits = InlineDigits(number.magnitude, radix: radix)
    self.quote = quote
  }

  /// The length in bytes.
  package var byteCount: Int {
    name.utf8.count + 1 + digits.count + (quote == nil ? 0 : 2)
  }

  /// Writes the identifier to memory with space for ``byteCount`` bytes.
  package func write(to start: UnsafeMutablePointer<UInt8>) {
    var end = unsafe start
    func put(_ byte: UInt8) {
      unsafe end.initialize(to: byte)
      unsafe end += 1
    }
    if let quote { put(quote) }
    var name = name
    name.withUTF8 { name in
      if let base = name.baseAddress { unsafe end.initialize(from: base, count: name.count) }
      unsafe end += name.count
    }
    put(UInt8(ascii: "-"))
    for index in 0..<digits.count { put(digits[index]) }
    if let quote { put(quote) }
  }

  /// The identifier as a string.
  package var text: String {
    unsafe String(unsafeUninitializedCapacity: byteCount) { bytes in
      if let start = bytes.baseAddress { unsafe write(to: start) }
      return byteCount
    }
  }
}

/// The digits of a number.
private struct InlineDigits {
  // The digits of 64 bits in base 2.
  private var reversed = InlineArray<64, UInt8>(repeating: 0)
  private(set) var count = 0

  init(_ number: UInt, radix: UInt) {
    var rest = number
    repeat {
      // The compiler turns a division by a constant into a multiplication.
      let (next, digit) =
        radix == 10
        ? rest.quotientAndRemainder(dividingBy: 10) : rest.quotientAndRemainder(dividingBy: radix)
      reversed[count] = UInt8(truncatingIfNeeded: digit) + (digit < 10 ? 0x30 : 0x61 - 10)
      rest = next
      count += 1
    } while rest > 0
  }

  subscript(index: Int) -> UInt8 { reversed[count - 1 - index] }
}
