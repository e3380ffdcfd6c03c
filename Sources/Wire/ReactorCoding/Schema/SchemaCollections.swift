/// A dictionary of the standard library.
///
/// Its decoding rejects a placeholder for a key of a limited type, and an array of an odd number of keys
/// and values; the types of both are known.
protocol SchemaDictionary {
  /// The form of the dictionary's JSON.
  static func form(in probe: SchemaProbe) -> SchemaSketch.Form

  /// The empty dictionary.
  static var empty: Self { get }
}

extension Dictionary: SchemaDictionary where Key: Decodable, Value: Decodable {
  static var empty: [Key: Value] { [:] }

  static func form(in probe: SchemaProbe) -> SchemaSketch.Form {
    let value = probe.probe(Value.self).sketch
    if Key.self == String.self { return .map(value, names: nil) }
    if Key.self == Int.self { return .map(value, names: ["pattern": "^(0|-?[1-9][0-9]*)$"]) }
    guard Key.self is any CodingKeyRepresentable.Type else {
      return .elements([probe.probe(Key.self).sketch, value], isFixed: false)
    }
    let keys = RawValues.of(Key.self)?.map { try? JSONCoder.decode(Key.self, from: $0.bytes) }
    let names = keys?.map { ($0 as? any CodingKeyRepresentable)?.codingKey.stringValue }
    let known = names?.compactMap { $0.map(JSONValue.string) } ?? []
    return .map(
      value, names: known.isEmpty || known.count < names?.count ?? 0 ? nil : ["enum": .array(known)]
    )
  }
}

/// An array, for types that reject one with the smallest number of elements.
protocol SchemaArray {
  /// Returns an array with as many elements, or `nil` if there is no placeholder for an element.
  static func filled(_ count: Int, from probe: SchemaProbe, isSmallest: Bool) -> Self?
}

extension Array: SchemaArray where Element: Decodable {
  static func filled(_ count: Int, from probe: SchemaProbe, isSmallest: Bool) -> [Element]? {
    let element = isSmallest ? probe.smallest(Element.self) : probe.probe(Element.self).value
    return element.map { Array(repeating: $0, count: count) }
  }
}
