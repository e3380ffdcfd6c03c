/// A decoder that supplies placeholder values and records what was requested.
struct SchemaDecoder: Decoder {
  let probe: SchemaProbe
  /// Receives the record.
  let sketch: SchemaSketch
  /// The index of the enum case to decode, and of the raw value of members that have raw values.
  let caseNumber: Int
  /// The placeholder values.
  let sample: SchemaSample
  /// Whether to produce the smallest value instead of recording members.
  let isSmallest: Bool

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if case .anything = sketch.form { sketch.form = .object }
    if !isSmallest { sketch.note(keys: type) }
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
      probe: probe, sketch: sketch, caseNumber: 0, sample: sample, isSmallest: isSmallest)
  }

  /// Returns a placeholder value of a type; `note` receives the sketch of the type.
  func placeholder<Value: Decodable>(
    _ type: Value.Type, note: (SchemaSketch) -> Void
  ) throws -> Value {
    let value: Value?
    if let (form, scalar) = SchemaScalar.of(type, sample) {
      note(SchemaSketch(form))
      value = scalar
    } else if isSmallest {
      value = probe.smallest(type)
    } else {
      let result = probe.probe(type)
      note(result.sketch)
      value = chosen(type, result.sketch) ?? result.value
    }
    if sample.isFilled, let array = type as? any SchemaArray.Type,
      let filled = array.filled(sample.extra, from: probe, isSmallest: isSmallest) as? Value
    {
      return filled
    }
    guard let value else { throw NoPlaceholder() }
    return value
  }

  /// The value of the raw value of this attempt, or `nil` for a type without raw values.
  private func chosen<Value: Decodable>(_ type: Value.Type, _ inner: SchemaSketch) -> Value? {
    guard case .values(let values) = inner.form, !values.isEmpty else { return nil }
    sketch.choices = max(sketch.choices, values.count)
    return try? JSONCoder.decode(type, from: values[caseNumber % values.count].bytes)
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
      switch inner.form {
      case .scalar, .decimal: sketch.form = inner.form
      default: sketch.form = .wrapped(inner)
      }
    }
  }
}
