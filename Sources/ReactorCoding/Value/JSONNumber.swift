/// A number as its text, so that every digit survives.
public struct JSONNumber: Sendable {
  /// The number as JSON writes it.
  public let text: String

  /// Wraps what the parser has checked.
  init(checked text: String) {
    self.text = text
  }

  /// Makes a number from an integer.
  public init(_ value: some BinaryInteger) {
    text = value.description
  }

  /// Makes a number from a floating-point value; `nil` for what JSON cannot write (NaN, infinity).
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    var output: [UInt8] = []
    output.appendJSON(value)
    text = String(decoding: output, as: UTF8.self)
  }

  /// The exact integer, if the number is one and fits; `1e2` and `100.0` are 100.
  public func integer<Integer: FixedWidthInteger>(as type: Integer.Type) -> Integer? {
    var text = text
    return text.withUTF8 { JSONNumberText($0).integer() }
  }

  /// The nearest `Double`; `nil` beyond its range.
  public var double: Double? {
    var text = text
    return text.withUTF8 { JSONNumberText($0).floatingPoint() }
  }
}

extension JSONNumber: Hashable {
  /// Numbers are equal when they are written alike, or are the same `Double` and integer.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if left.text == right.text { return true }
    if let one = left.integer(as: Int.self), let other = right.integer(as: Int.self) {
      return one == other
    }
    guard let one = left.double, let other = right.double else { return false }
    return one == other && left.integer(as: UInt64.self) == right.integer(as: UInt64.self)
  }

  /// Feeds the nearest `Double`, which equal numbers share.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(double)
  }
}
