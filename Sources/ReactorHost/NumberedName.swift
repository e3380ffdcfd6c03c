/// A name, a dash and a number, as cursors and the names of requests are written.
///
/// Some are written with every action, so they are written byte by byte: that takes a third of the
/// instructions of putting texts together.
package enum NumberedName {
  /// Writes a name.
  ///
  /// - Parameters:
  ///   - name: What comes before the dash.
  ///   - number: What comes after it, not less than 0.
  ///   - radix: 10, or at most 36.
  ///   - quote: What stands around all of it, a character of ASCII; `nil` for nothing.
  /// - Returns: The name.
  package static func text(
    _ name: String, _ number: Int, radix: UInt = 10, quote: UInt8? = nil
  ) -> String {
    var name = name
    let digits = InlineDigits(number.magnitude, radix: radix)
    return name.withUTF8 { name in
      let count = name.count + 1 + digits.count + (quote == nil ? 0 : 2)
      return String(unsafeUninitializedCapacity: count) { bytes in
        var end = 0
        func append(_ byte: UInt8) {
          bytes.initializeElement(at: end, to: byte)
          end += 1
        }
        if let quote { append(quote) }
        for byte in name { append(byte) }
        append(UInt8(ascii: "-"))
        for index in 0..<digits.count { append(digits[index]) }
        if let quote { append(quote) }
        return end
      }
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
      let digit = UInt8(truncatingIfNeeded: rest % radix)
      reversed[count] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
      rest /= radix
      count += 1
    } while rest > 0
  }

  subscript(index: Int) -> UInt8 { reversed[count - 1 - index] }
}
