/// Lists the raw values of an enum such as `enum Kind: String, Codable`.
enum RawValues {
  /// Returns the raw values in case order, or `nil` for other types, or if they cannot be listed.
  static func of<Value>(_ type: Value.Type) -> [JSONValue]? {
    guard let type = type as? any RawRepresentable.Type else { return nil }
    return list(type)
  }

  private static func list<Value: RawRepresentable>(_ type: Value.Type) -> [JSONValue]? {
    let iterable = type as? any CaseIterable.Type
    let cases = iterable.map { allCases($0) } as? [Value]
    guard let cases = cases ?? EnumMetadata.allCases(of: type) else { return nil }
    var values: [JSONValue] = []
    for element in cases {
      switch element.rawValue {
      case let name as String: values.append(.string(name))
      case let number as any BinaryInteger: values.append(.number(JSONNumber(number)))
      default: return nil
      }
    }
    return values
  }

  private static func allCases<Value: CaseIterable>(_ type: Value.Type) -> [Any] {
    Array(type.allCases)
  }
}
