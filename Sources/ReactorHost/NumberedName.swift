/// A name, a dash and a number, as cursors and the names of requests are written.
///
/// Some are written with every action, so they are written byte by byte: that takes a third of the
/// instructions of putting texts together.
package struct NumberedName: ~Copyable {
  private let name: String
  private let digits: InlineDigits
  private let quote: UInt8?

  /// Puts a name together.
  ///
  /// - Parameters:
  ///   - name: What comes before the dash.
  ///   - number: What comes after it, not less than 0.
  ///   - radix: 10, or at most 36.
  ///   - quote: What stands around all of it, a character of ASCII; `nil` for nothing.
  package init(_ name: String, _ number: Int, radix: UInt = 10, quote: UInt8? = nil) {
    self.name = name
    digits = InlineDigits(number.magnitude, radix: radix)
    self.quote = quote
  }

  /// How many bytes it takes.
  package var byteCount: Int {
    name.utf8.count + 1 + digits.count + (quote == nil ? 0 : 2)
  }

  /// Writes it to memory with room for all its bytes.
  package func write(to start: UnsafeMutablePointer<UInt8>) {
    var end = start
    func put(_ byte: UInt8) {
      end.initialize(to: byte)
      end += 1
    }
    if let quote { put(quote) }
    var name = name
    name.withUTF8 { name in
      if let base = name.baseAddress { end.initialize(from: base, count: name.count) }
      end += name.count
    }
    put(UInt8(ascii: "-"))
    for index in 0..<digits.count { put(digits[index]) }
    if let quote { put(quote) }
  }

  /// The name as text.
  package var text: String {
    String(unsafeUninitializedCapacity: byteCount) { bytes in
      if let start = bytes.baseAddress { write(to: start) }
      return byteCount
    }
  }
}

/// The digits of a number.
private struct InlineDigits {
  // 64 bits have that many digits in base 2.
  private var reversed = InlineArray<64, UInt8>(repeating: 0)
  private(set) var count = 0

  init(_ number: UInt, radix: UInt) {
    var rest = number
    repeat {
      // To divide by a constant is to multiply, several times faster than to divide.
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
