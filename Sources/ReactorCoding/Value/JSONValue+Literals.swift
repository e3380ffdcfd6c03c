extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes `null`.
  public init(nilLiteral: ()) {
    self = .null
  }

  /// Makes `true` or `false`.
  public init(booleanLiteral value: Bool) {
    self = .boolean(value)
  }

  /// Makes a number.
  public init(integerLiteral value: Int) {
    self = .number(JSONNumber(value))
  }

  /// Makes a string.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// Makes an array.
  public init(arrayLiteral elements: JSONValue...) {
    self = .array(elements)
  }

  /// Makes an object whose members stand in the order of the literal.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member($0, $1) })
  }
}
