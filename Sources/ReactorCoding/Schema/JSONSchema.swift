/// Derives JSON Schemas (2020-12) from Swift types, by decoding them from a probe.
///
/// The schema is what the type's own `init(from:)` asks for, so it cannot drift from the code. The
/// probe answers with dummies: where a type refuses them or looks at them to decide how to go on,
/// the schema says what is known and allows the rest. Deriving runs the conformances of the type
/// and of all types in it, on the caller's thread; results are worth keeping.
public enum JSONSchema {
  /// Which way the JSON goes.
  public enum Direction: Sendable {
    /// Written by us: every member is there, `null` where a value is absent.
    case output

    /// Sent to us: members that may be absent are not required.
    case input
  }

  /// Which forms of an enum's cases a schema allows.
  public enum Spelling: Sendable {
    /// The form that is written (`"increase"`, `{"add":5}`), which is also the one to recommend.
    case shortest

    /// Every form that is read, `{"increase":{}}` and `{"add":{"_0":5}}` too.
    case every
  }

  /// The schema of a type.
  ///
  /// A type that contains itself is described once in `$defs` of the schema, and referred to as
  /// `#/$defs/…`; other schemas have no references.
  public static func derive<Value: Decodable>(
    _ type: Value.Type, for direction: Direction = .output, spelling: Spelling = .shortest
  ) -> JSONValue {
    let probe = SchemaProbe()
    let sketch = probe.probe(type).sketch
    // Sketches of recursive types refer to each other in circles.
    defer { probe.dissolve() }
    var renderer = SchemaRenderer(direction: direction, spelling: spelling)
    return renderer.schema(of: sketch)
  }
}
