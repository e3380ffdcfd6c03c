/// Recognizes string types with known cases that accept any other text.
///
/// The type is `CaseIterable` and not `RawRepresentable`, encodes its cases as texts, and decodes a
/// text that is not one of them.
enum OpenTexts {
  /// Returns the texts of the known cases and a value, or `nil` for other types.
  static func of<Value: Decodable>(_ type: Value.Type) -> (texts: [JSONValue], value: Value)? {
    guard !(type is any RawRepresentable.Type),
      let iterable = type as? any (CaseIterable & Encodable).Type,
      let texts = texts(of: iterable), !texts.isEmpty
    else { return nil }
    // Longer than every known text, and therefore none of them.
    let other = texts.reduce("") { $0 + $1 } + "-"
    guard let value = try? JSONCoder.decode(type, from: JSONValue.string(other).bytes),
      let encoded = try? JSONCoder.encode(JSONBox(value)), encoded == JSONValue.string(other).bytes
    else { return nil }
    return (texts.map { .string($0) }, value)
  }

  private static func texts<Value: CaseIterable & Encodable>(of type: Value.Type) -> [String]? {
    var texts: [String] = []
    for known in type.allCases {
      guard let json = try? JSONCoder.encode(known),
        let text = try? JSONCoder.decode(String.self, from: json)
      else { return nil }
      texts.append(text)
    }
    return texts
  }

  /// Encodes a value whose type is not known to be encodable.
  private struct JSONBox: Encodable {
    let value: Any

    init(_ value: Any) { self.value = value }

    func encode(to encoder: any Encoder) throws {
      try (value as? any Encodable)?.encode(to: encoder)
    }
  }
}
