/// A decoder that gives dummies and notes what it was asked for.
struct SchemaDecoder: Decoder {
  let probe: SchemaProbe
  /// Where to note it.
  let sketch: SchemaSketch
  /// Which case of an enum this decoding is to be.
  let caseNumber: Int
  /// The dummy for strings.
  let text: String
  /// Whether only a value is wanted, as small as possible.
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

  /// A decoder for something inside, noting into another sketch.
  func inside(_ sketch: SchemaSketch) -> SchemaDecoder {
    SchemaDecoder(
      probe: probe, sketch: sketch, caseNumber: 0, text: text, isSmallest: isSmallest)
  }

  /// A dummy of a type that was asked for; `note` learns what is known about the type.
  func dummy<Value: Decodable>(
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
    guard let value else { throw Refusal() }
    return value
  }

  /// There is no dummy that the type would take.
  struct Refusal: Error {}
}

extension SchemaDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool {
    sketch.isNullable = true
    return isSmallest
  }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try dummy(type) { inner in
      if case .scalar = inner.form {
        sketch.form = inner.form
      } else {
        sketch.form = .wrapped(inner)
      }
    }
  }
}
