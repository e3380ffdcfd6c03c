/// The state of one derivation: visited types and the placeholder values of their decoding.
final class SchemaProbe {
  /// The types being probed; a type that is met again is recursive.
  private var active: [ObjectIdentifier: SchemaSketch] = [:]

  /// The probed types, with a value where one could be created.
  private var finished: [ObjectIdentifier: (sketch: SchemaSketch, value: Any?)] = [:]

  /// The types whose smallest value is being created.
  private var minimizing: Set<ObjectIdentifier> = []

  private var sketches: [SchemaSketch] = []

  /// The errors in the declared defaults of the types.
  private(set) var defaultProblems: [String] = []

  /// Returns whether the schema omits the enum cases with a value of a type.
  private let isHidden: (any Any.Type) -> Bool

  /// The number of types that the schema omits.
  private(set) var hiddenCount = 0

  init(hiding isHidden: @escaping (any Any.Type) -> Bool = { _ in false }) {
    self.isHidden = isHidden
  }

  /// The maximum depth of nested types; the schema of a deeper type is unspecified.
  ///
  /// A generic type can contain ever larger instances of itself.
  private static let depthLimit = 64

  /// Derives the sketch of a type.
  ///
  /// - Returns: The sketch, and a value of the type if one could be created.
  func probe<Value: Decodable>(_ type: Value.Type) -> (sketch: SchemaSketch, value: Value?) {
    if let (schema, value) = SchemaScalar.of(type) { return (SchemaSketch(.scalar(schema)), value) }
    let identity = ObjectIdentifier(type)
    if let known = finished[identity] { return (known.sketch, known.value as? Value) }
    if let sketch = active[identity] {
      sketch.definitionName = String(describing: type)
      return (sketch, smallest(type))
    }
    let sketch = makeSketch()
    sketch.isHidden = isHidden(type)
    if sketch.isHidden { hiddenCount += 1 }
    guard active.count < Self.depthLimit, type != JSONValue.self, type != EncodedJSON.self else {
      return (sketch, smallest(type))
    }
    active[identity] = sketch
    let value = decode(type, sketch) ?? smallest(type)
    if let defaults = DefaultMembers.of(type) {
      if let problem = defaults.problem { defaultProblems.append(problem) }
      noteDefaults(defaults, in: sketch)
    }
    active[identity] = nil
    finished[identity] = (sketch, value)
    return (sketch, value)
  }

  /// Creates a sketch; ``removeReferences()`` breaks its reference cycles.
  func makeSketch() -> SchemaSketch {
    let sketch = SchemaSketch()
    sketches.append(sketch)
    return sketch
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ sketch: SchemaSketch) -> Value? {
    if let described = type as? any SchemaDescribing.Type {
      describe(described.schemaForm, in: sketch)
      return described.schemaPlaceholder as? Value
    }
    if let values = RawValues.of(type), let value = Self.first(of: values, as: type) {
      sketch.form = .values(values)
      return value
    }
    if let (texts, value) = OpenTexts.of(type) {
      sketch.form = .openText(texts)
      return value
    }
    func attempt(case number: Int, text: String) -> Value? {
      try? type.init(
        from: SchemaDecoder(
          probe: self, sketch: sketch, caseNumber: number, text: text, isSmallest: false))
    }
    var value = attempt(case: 0, text: "")
    for number in sketch.caseNames.indices.dropFirst() {
      let other = attempt(case: number, text: "")
      value = value ?? other
    }
    if value == nil, case .scalar = sketch.form {
      // A type that validates its text, such as a date or a URL, can accept one of these texts.
      for text in SchemaScalar.texts where value == nil { value = attempt(case: 0, text: text) }
    }
    noteOwnDefaults(of: type, in: sketch)
    return value
  }

  /// Returns the value for the first raw value, if the type decodes from raw values.
  private static func first<Value: Decodable>(
    of values: [JSONValue], as type: Value.Type
  ) -> Value? {
    values.first.flatMap { try? JSONCoder.decode(type, from: $0.bytes) }
  }

  /// Creates a value without recording members: empty arrays, absent optionals, the first case that
  /// works.
  func smallest<Value: Decodable>(_ type: Value.Type) -> Value? {
    if let described = type as? any SchemaDescribing.Type {
      return described.schemaPlaceholder as? Value
    }
    if let (_, value) = SchemaScalar.of(type) { return value }
    if let values = RawValues.of(type) { return Self.first(of: values, as: type) }
    let identity = ObjectIdentifier(type)
    guard minimizing.count < Self.depthLimit, minimizing.insert(identity).inserted else {
      return nil
    }
    defer { minimizing.remove(identity) }
    let sketch = SchemaSketch()
    var number = 0
    repeat {
      let decoder = SchemaDecoder(
        probe: self, sketch: sketch, caseNumber: number, text: "", isSmallest: true)
      if let value = try? type.init(from: decoder) { return value }
      number += 1
    } while number < sketch.caseNames.count
    return nil
  }

  /// Breaks the reference cycles among the sketches.
  func removeReferences() {
    for sketch in sketches { sketch.removeReferences() }
  }
}
