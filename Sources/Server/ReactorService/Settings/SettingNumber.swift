/// The number that an unparsed value holds.
struct SettingNumber {
  /// The value; finite.
  let value: Double

  /// The value if it is an integer in the range of `Int`.
  let integer: Int?

  /// Reads a number of the file, or the decimal text of a flag or variable.
  ///
  /// - Returns: `nil` if the value is not a number, not finite, or not decimal.
  init?(_ input: SettingInput) {
    switch input {
    case .json(.integer(let integer)):
      self.init(Double(integer), integer: integer)
    case .json(.number(let value)):
      self.init(value, integer: Int(exactly: value))
    case .text(let text):
      // `Double` would also accept hexadecimal digits, "nan" and "infinity".
      guard text.utf8.allSatisfy(Self.isDecimal), let value = Double(text) else { return nil }
      self.init(value, integer: Int(text) ?? Int(exactly: value))
    case .json:
      return nil
    }
  }

  private init?(_ value: Double, integer: Int?) {
    guard value.isFinite else { return nil }
    self.value = value
    self.integer = integer
  }

  private static func isDecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"),
      UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
