/// A number as a setting was given it.
struct SettingNumber {
  /// The value; finite.
  let value: Double

  /// The value when it is whole and fits.
  let integer: Int?

  /// Takes a number of the file, or decimal text of a flag or variable.
  ///
  /// Returns `nil` for what is no number, for NaN and for the infinities.
  init?(_ input: SettingInput) {
    switch input {
    case .json(.integer(let integer)):
      self.init(Double(integer), integer: integer)
    case .json(.number(let value)):
      self.init(value, integer: Int(exactly: value))
    case .text(let text):
      // `Double` also reads hexadecimal digits, "nan" and "infinity", which no one means here.
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
