extension JSONCoder {
  /// The cases of an enum that have no values, by their JSON, such as `"increase"`.
  ///
  /// They come as a list: of so few texts one is found by comparing long before it would be hashed.
  ///
  /// - Returns: Those that were read from their names; none for a type that is no enum.
  public static func plainCases<Value: Decodable>(
    of type: Value.Type
  ) -> [(json: [UInt8], value: Value)] {
    var cases: [(json: [UInt8], value: Value)] = []
    for name in caseNames(of: type) ?? [] {
      var json: [UInt8] = []
      json.appendJSON(name)
      // With a value, such as a default one, it need not be the same each time.
      guard let value = try? decode(type, from: json, strictness: .strict),
        Mirror(reflecting: value).children.isEmpty
      else { continue }
      cases.append((json, value))
    }
    return cases
  }
}
