/// A decoder that supplies placeholder values and records what was requested.
struct SchemaDecoder: Decoder {
  let probe: SchemaProbe
  /// Receives the record.
  let sketch: SchemaSketch
  /// The index of the enum case to decode.
  let caseNumber: Int
  /// The placeholder for strings.
  let text: String
  /// Whether to produce the smallest value instead of recording members.
  let isSmallest: Bool

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if case .anything = sketch.form { sketch.form = .object }
    return KeyedDecodingContainer(SchemaKeyedContainer<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    if case .anything = sketch.form { sketch.form = .array(nil) }
    return SchemaUnkeyedContainer(decoder: self)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  /// Returns a decoder for a nested value with a sketch of its own.
  func inside(_ sketch: SchemaSketch) -> SchemaDecoder {
    SchemaDecoder(
      probe: probe, sketch: sketch, caseNumber: 0, text: text, isSmallest: isSmallest)
  }

  /// Returns a placeholder value of a type; `note` receives the sketch of the type.
  func placeholder<Value: Decodable>(
    _ type: Value.Type, note: (SchemaSketch) -> Void
  ) throws -> Value {
    let value: Value?
    if let (schema, scalar) = SchemaScalar.of(type, text: text) {
      note(SchemaSketch(.scalar(schema)))
      value = scalar
    } else if isSmallest {
      value = probe.smallest(type)
    } else {
      let result = probe.probe(type)
      note(result.sketch)
      value = result.value
    }
    guard let value else { throw NoPlaceholder() }
    return value
  }

  /// The type rejects every placeholder value.
  struct NoPlaceholder: Error {}
}

extension SchemaDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    sketch.isNullable = true
    return isSmallest
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try placeholder(type) { inner in
      if case .scalar = inner.form {
        sketch.form = inner.form
      } else {
        sketch.form = .wrapped(inner)
      }
    }
  }
}
