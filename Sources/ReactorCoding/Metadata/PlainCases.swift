extension JSONCoder {
  /// The cases of an enum that have no values, by their JSON, such as `"increase"`.
  ///
  /// - Returns: Those that were read from their names; none for a type that is no enum.
  public static func plainCases<Value: Decodable>(of type: Value.Type) -> [[UInt8]: Value] {
    var cases: [[UInt8]: Value] = [:]
    for name in caseNames(of: type) ?? [] {
      var json: [UInt8] = []
      json.appendJSON(name)
      // With a value, such as a default one, it need not be the same each time.
      guard let value = try? decode(type, from: json, strictness: .strict),
        Mirror(reflecting: value).children.isEmpty
      else { continue }
      cases[json] = value
    }
    return cases
  }
}
