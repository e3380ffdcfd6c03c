/// A number represented by its text, so that no digits are lost.
public struct JSONNumber: Sendable {
  /// The number in JSON notation.
  public let text: String

  /// Wraps a text that the parser has validated.
  init(checked text: String) {
    self.text = text
  }

  /// Creates a number from an integer.
  public init(_ value: some BinaryInteger) {
    text = value.description
  }

  /// Creates a number from a floating-point value, or returns `nil` for NaN and infinity.
  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    var output: [UInt8] = []
    output.appendJSON(value)
    text = String(decoding: output, as: UTF8.self)
  }

  /// Returns the exact integer, or `nil` if it has a fraction or does not fit.
  ///
  /// `1e2` and `100.0` are 100.
  public func integer<Integer: FixedWidthInteger>(as type: Integer.Type) -> Integer? {
    JSONNumberText.integer(text.utf8.span)
  }

  /// The nearest `Double`, or `nil` beyond its range.
  public var double: Double? {
    JSONNumberText.floatingPoint(text.utf8.span)
  }
}

extension JSONNumber: Hashable {
  /// Whether both have the same text, or the same integer and `Double` value.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if left.text == right.text { return true }
    if let one = left.integer(as: Int.self), let other = right.integer(as: Int.self) {
      return one == other
    }
    guard let one = left.double, let other = right.double else { return false }
    return one == other && left.integer(as: UInt64.self) == right.integer(as: UInt64.self)
  }

  /// Hashes the nearest `Double`, which equal numbers share.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(double)
  }
}
