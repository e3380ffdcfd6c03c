extension SchemaProbe {
  /// Records the defaults that a type declares.
  func noteDefaults(_ defaults: DefaultMembers, in sketch: SchemaSketch) {
    for (caseName, name, value) in defaults.values {
      let owner = caseName == nil ? sketch : sketch.cases.first { $0.name == caseName }?.payload
      guard let owner, case .object = owner.form,
        owner.properties.contains(where: { $0.name == name })
      else { continue }
      owner.property(name) {
        $0.isOptional = true
        $0.defaultValue = value == .null ? nil : value
      }
    }
  }

  /// Records the defaults that the type's own decoding uses: those of a value that was decoded without its
  /// optional members.
  func noteOwnDefaults<Value: Decodable>(of type: Value.Type, in sketch: SchemaSketch) {
    switch sketch.form {
    case .object where sketch.hasOptionalProperty:
      noteDefaults(of: sketch, from: smallestJSON(of: type, case: 0))
    case .cases:
      for (number, name) in sketch.caseNames.enumerated() {
        guard let found = sketch.cases.first(where: { $0.name == name }),
          found.payload.hasOptionalProperty,
          let payload = smallestJSON(of: type, case: number)?[name]
        else { continue }
        let isShort = found.shape == .single && payload[CaseShape.singleLabel] == nil
        let labelled = isShort ? .object([.init(CaseShape.singleLabel, payload)]) : payload
        noteDefaults(of: found.payload, from: labelled)
      }
    default: return
    }
  }

  private func noteDefaults(of sketch: SchemaSketch, from json: JSONValue?) {
    guard let json else { return }
    for property in sketch.properties where property.isOptional {
      guard let value = json[property.name], value != .null else { continue }
      sketch.property(property.name) { $0.defaultValue = value }
    }
  }

  private func smallestJSON<Value: Decodable>(of type: Value.Type, case number: Int) -> JSONValue? {
    let decoder = SchemaDecoder(
      probe: self, sketch: SchemaSketch(), caseNumber: number, sample: .smallest, isSmallest: true)
    guard let value = try? type.init(from: decoder) as? any Encodable,
      let json = try? JSONCoder.encode(value), let document = try? JSONDocument(parsing: json)
    else { return nil }
    return JSONValue(document.root)
  }
}

extension SchemaSketch {
  /// Whether the type's own decoding may use a default: only for members that it does not require.
  fileprivate var hasOptionalProperty: Bool { properties.contains(where: \.isOptional) }
}
