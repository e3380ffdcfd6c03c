/// A type that describes its JSON itself.
///
/// Decoding placeholder values cannot reveal its form, because one of its values selects the type
/// of another.
package protocol SchemaDescribing: Decodable {
  /// The form of the JSON.
  static var schemaForm: SchemaForm { get }

  /// A value for the derivation of the enclosing type's schema, or `nil` if there is none.
  static var schemaPlaceholder: Self? { get }
}

/// The form of the JSON of a ``SchemaDescribing`` type.
package indirect enum SchemaForm {
  /// The form of another type.
  case type(any Decodable.Type)

  /// A form, or `null`.
  case nullable(SchemaForm)

  /// A text that is always the same.
  case constant(String)

  case array(SchemaForm)

  /// An object with exactly these members if `isClosed` is true, otherwise with at least these.
  case object([(name: String, form: SchemaForm)], isClosed: Bool)

  /// Exactly one of several forms.
  case oneOf([SchemaForm])
}

extension SchemaProbe {
  /// Records the form of a type that describes itself.
  func describe(_ form: SchemaForm, in sketch: SchemaSketch) {
    switch form {
    case .type(let type): sketch.form = .wrapped(self.sketch(of: type))
    case .nullable(let form):
      describe(form, in: sketch)
      sketch.isNullable = true
    case .constant(let text): sketch.form = .scalar(["const": .string(text)])
    case .array(let element): sketch.form = .array(nested(element))
    case .object(let members, let isClosed):
      sketch.form = .object
      sketch.isClosed = isClosed
      for (name, form) in members { sketch.property(name) { $0.sketch = nested(form) } }
    case .oneOf(let forms): sketch.form = .alternatives(forms.map(nested))
    }
  }

  private func nested(_ form: SchemaForm) -> SchemaSketch {
    if case .type(let type) = form { return sketch(of: type) }
    let sketch = makeSketch()
    describe(form, in: sketch)
    return sketch
  }
}

extension DecodingError {
  /// The error for a name that is not one of the known names, which it lists as the accepted
  /// values.
  package static func unknownName(
    _ name: String, among names: [String], in decoder: any Decoder
  ) -> DecodingError {
    if let reader = decoder as? JSONReader {
      return UnreadableValue.unknownCase(name, names, at: reader.node).wrapped()
    }
    return .dataCorrupted(
      Context(codingPath: decoder.codingPath, debugDescription: "\(name) is not known here"))
  }

  /// The error for an object that does not have exactly one member with one of the known names.
  package static func memberCount(
    _ count: Int, among names: [String], in decoder: any Decoder
  ) -> DecodingError {
    if let reader = decoder as? JSONReader {
      return UnreadableValue.caseCount(count, names, at: reader.node).wrapped()
    }
    return .dataCorrupted(
      Context(codingPath: decoder.codingPath, debugDescription: "one member belongs here"))
  }
}
