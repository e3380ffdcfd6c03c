extension JSONCoder {
  /// Returns the cases of an enum that have no associated values, with their JSON, such as
  /// `"increase"`.
  ///
  /// The result is an array: for so few texts a linear search is faster than hashing.
  ///
  /// - Returns: The cases that decode from their bare names; empty for other types.
  public static func plainCases<Value: Decodable>(
    of type: Value.Type
  ) -> [(json: [UInt8], value: Value)] {
    var cases: [(json: [UInt8], value: Value)] = []
    for name in caseNames(of: type) ?? [] {
      var json: [UInt8] = []
      json.appendJSON(name)
      // Exclude cases whose associated values have defaults: they also decode from their bare
      // names, but not necessarily to the same value each time.
      guard let value = try? decode(type, from: json, strictness: .strict),
        Mirror(reflecting: value).children.isEmpty
      else { continue }
      cases.append((json, value))
    }
    return cases
  }
}
