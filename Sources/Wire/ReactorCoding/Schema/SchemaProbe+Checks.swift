extension SchemaProbe {
  /// Describes what the decoding of a type does not reach, because the type rejects every placeholder
  /// value of one of its members.
  ///
  /// The names of the members are those of the coding keys, their types those of the stored properties.
  func noteInterruption<Value>(of type: Value.Type, case number: Int, in sketch: SchemaSketch) {
    switch sketch.form {
    case .object: complete(sketch, StoredMembers.types(of: type))
    case .cases where sketch.caseNames.indices.contains(number):
      let name = sketch.caseNames[number]
      for found in sketch.cases where found.name == name { complete(found.payload, [:]) }
    default: break
    }
  }

  private func complete(_ sketch: SchemaSketch, _ types: [String: any Any.Type]) {
    for (name, member) in sketch.keys {
      guard !sketch.properties.contains(where: { $0.name == name }) else { continue }
      let type = types[member] as? any Decodable.Type
      let inner = type.map { self.sketch(of: $0) }
      sketch.property(name) {
        $0.sketch = inner
        $0.isOptional = inner?.isNullable ?? true
      }
    }
  }

  func sketch<Value: Decodable>(of type: Value.Type) -> SchemaSketch {
    probe(type).sketch
  }

  /// Records that a type that branches on the value of a member does not request all members.
  ///
  /// - Parameters:
  ///   - sketch: The sketch of the type.
  ///   - always: The members that each successful attempt requested, or `nil` if there was none.
  func noteBranches(in sketch: SchemaSketch, always: Set<String>?) {
    guard let always else { return }
    for property in sketch.properties where !always.contains(property.name) {
      sketch.property(property.name) {
        $0.isOptional = true
        $0.isOmitted = true
      }
    }
  }

  /// Records which optional members the encoding of a type omits.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - sketch: The sketch of the type.
  ///   - value: A value with the members whose presence the type has asked for.
  func noteOmissions<Value: Decodable>(
    of type: Value.Type, in sketch: SchemaSketch, value: Value?
  ) {
    guard type is any Encodable.Type, case .object = sketch.form,
      sketch.properties.contains(where: \.isOptional)
    else { return }
    // Of the smallest value: the code of the type runs while its schema is derived.
    let written = (smallest(type) ?? value).flatMap(Self.json)
    for property in sketch.properties where property.isOptional {
      if written?[property.name] == nil { sketch.property(property.name) { $0.isOmitted = true } }
    }
  }

  private static func json(_ value: Any) -> JSONElement? {
    guard let value = value as? any Encodable, let text = try? JSONCoder.encode(value) else {
      return nil
    }
    return try? JSONDocument(parsing: text).root
  }

  /// Records the format of a type that accepts texts of this format only, and writes two texts with the
  /// same meaning as one.
  func noteFormat<Value: Decodable>(of type: Value.Type, in sketch: SchemaSketch) {
    guard case .scalar(["type": "string"]) = sketch.form else { return }
    func rewritten(_ text: String) -> String? {
      guard let value = try? JSONCoder.decode(type, from: JSONValue.string(text).bytes),
        let element = Self.json(value), element.kind == .string
      else { return nil }
      return element.string
    }
    guard rewritten("a") == nil else { return }
    if let time = rewritten("2000-01-01T00:00:00Z"), TimeText.seconds(time) != nil,
      rewritten("2000-01-01T01:00:00+01:00") == time
    {
      sketch.form = .scalar(["type": "string", "format": "date-time"])
    }
    let text = "0a000000-0000-0000-0000-000000000000"
    if let id = rewritten(text), id.lowercased() == text, rewritten(text.uppercased()) == id {
      sketch.form = .scalar(["type": "string", "format": "uuid"])
    }
  }
}
