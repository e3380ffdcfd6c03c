/// Derives JSON Schemas (2020-12) from Swift types by decoding them with a recording decoder.
///
/// The schema reflects the members that the type's own `init(from:)` requests, so that it cannot
/// drift from the code. The decoder supplies placeholder values: where a type rejects one, or
/// branches on it, the schema describes what is known and allows the rest. Deriving runs the
/// `Decodable` conformances of the type and its members on the caller's thread; cache the result.
public enum JSONSchema {
  /// The direction in which the JSON travels.
  public enum Direction: Sendable {
    /// From the service: every member is present, `null` if it has no value, unless the type omits it.
    case output

    /// To the service: members that may be absent are not required.
    case input
  }

  /// The forms of an enum case that a schema allows.
  public enum Spelling: Sendable {
    /// The form that the encoder writes (`"increase"`, `{"add":5}`).
    case shortest

    /// Every form that the decoder accepts, including `{"increase":{}}` and `{"add":{"_0":5}}`.
    case every
  }

  /// Returns the schema of a type, without the enum cases whose only value has a type for which
  /// `isHidden` returns `true`, and with `"writeOnly": true` in the schemas of types for which `isWriteOnly` does.
  ///
  /// A recursive type is defined once in `$defs` and referenced as `#/$defs/…`; other schemas
  /// contain no references.
  public static func derive<Value: Decodable>(
    _ type: Value.Type, for direction: Direction = .output, spelling: Spelling = .shortest,
    hiding isHidden: @escaping (any Any.Type) -> Bool = { _ in false },
    writeOnly isWriteOnly: @escaping (any Any.Type) -> Bool = { _ in false }
  ) -> JSONValue {
    let probe = SchemaProbe(hiding: isHidden, writeOnly: isWriteOnly)
    let sketch = probe.probe(type).sketch
    // The sketches of recursive types reference each other.
    defer { probe.removeReferences() }
    var renderer = SchemaRenderer(direction: direction, spelling: spelling)
    return renderer.schema(of: sketch)
  }

  /// The first error in the defaults that a type and its members declare, see ``DecodingDefaults``, or
  /// `nil` if there is none.
  package static func defaultsProblem<Value: Decodable>(in type: Value.Type) -> String? {
    let probe = SchemaProbe()
    _ = probe.probe(type)
    defer { probe.removeReferences() }
    return probe.defaultProblems.first
  }

  /// Returns the names of the cases of an enum whose only value has a type for which a closure returns
  /// `true`, and whether the type contains a hidden value elsewhere.
  package static func hiddenCases<Value: Decodable>(
    of type: Value.Type, hiding isHidden: @escaping (any Any.Type) -> Bool
  ) -> (names: [String], hasNested: Bool) {
    let probe = SchemaProbe(hiding: isHidden)
    let sketch = probe.probe(type).sketch
    defer { probe.removeReferences() }
    let names = sketch.hiddenCases
    let types = Set(
      sketch.cases.flatMap(\.payload.properties).compactMap { property in
        property.sketch.flatMap { $0.isHidden ? ObjectIdentifier($0) : nil }
      })
    return (names, probe.hiddenCount > types.count)
  }

  /// Returns whether a type, or a member of its values, is of a type for which a closure returns `true`.
  package static func contains<Value: Decodable>(
    in type: Value.Type, where isSought: @escaping (any Any.Type) -> Bool
  ) -> Bool {
    let probe = SchemaProbe(hiding: isSought)
    _ = probe.probe(type)
    defer { probe.removeReferences() }
    return probe.hiddenCount > 0
  }

  /// Returns the types among a type and its members that the schema cannot describe, because they reject
  /// every placeholder value; empty if the schema is complete.
  ///
  /// `Never` has no value to describe.
  package static func undescribedTypes<Value: Decodable>(in type: Value.Type) -> [String] {
    let probe = SchemaProbe()
    _ = probe.probe(type)
    defer { probe.removeReferences() }
    return probe.undescribed
  }

  /// Returns the smallest value of a type: zero, empty texts and lists, absent optionals, the first case
  /// that has one.
  ///
  /// - Returns: The value, or `nil` if the type rejects every placeholder.
  public static func smallestValue<Value: Decodable>(of type: Value.Type) -> Value? {
    SchemaProbe().smallest(type)
  }
}
