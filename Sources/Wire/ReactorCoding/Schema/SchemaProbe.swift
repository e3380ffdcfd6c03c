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
  /// The types that reject every placeholder value.
  private(set) var undescribed: [String] = []

  /// Returns whether the schema omits the enum cases with a value of a type.
  private let isHidden: (any Any.Type) -> Bool

  /// Returns whether clients send the values of a type and never receive them.
  private let isWriteOnly: (any Any.Type) -> Bool

  /// The number of types that the schema omits.
  private(set) var hiddenCount = 0

  init(
    hiding isHidden: @escaping (any Any.Type) -> Bool = { _ in false },
    writeOnly isWriteOnly: @escaping (any Any.Type) -> Bool = { _ in false }
  ) {
    self.isHidden = isHidden
    self.isWriteOnly = isWriteOnly
  }

  /// The maximum depth of nested types; the schema of a deeper type is unspecified.
  ///
  /// A generic type can contain ever larger instances of itself.
  private static let depthLimit = 64

  /// The number of raw values of a member that are tried, in case that a type branches on them.
  private static let choiceLimit = 64

  /// Derives the sketch of a type.
  ///
  /// - Returns: The sketch, and a value of the type if one could be created.
  func probe<Value: Decodable>(_ type: Value.Type) -> (sketch: SchemaSketch, value: Value?) {
    if let (form, value) = SchemaScalar.of(type) { return (SchemaSketch(form), value) }
    let identity = ObjectIdentifier(type)
    if let known = finished[identity] { return (known.sketch, known.value as? Value) }
    if let sketch = active[identity] {
      sketch.definitionName = String(describing: type)
      return (sketch, smallest(type))
    }
    let sketch = makeSketch()
    sketch.isHidden = isHidden(type)
    sketch.isWriteOnly = isWriteOnly(type)
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
    if let dictionary = type as? any SchemaDictionary.Type {
      sketch.form = dictionary.form(in: self)
      return dictionary.empty as? Value
    }
    func attempt(case number: Int, _ sample: SchemaSample) throws -> Value {
      try type.init(
        from: SchemaDecoder(
          probe: self, sketch: sketch, caseNumber: number, sample: sample, isSmallest: false))
    }
    var value: Value?
    var always: Set<String>?
    var number = 0
    repeat {
      sketch.requested = []
      let (found, isPartMissing) = firstValue(of: type) { try attempt(case: number, $0) }
      if found != nil {
        always = always?.intersection(sketch.requested) ?? sketch.requested
      } else if number < max(1, sketch.caseNames.count) {
        if !isPartMissing, type != Never.self { undescribed.append(String(reflecting: type)) }
        noteInterruption(of: type, case: number, in: sketch)
      }
      value = value ?? found
      number += 1
    } while number < max(sketch.caseNames.count, min(sketch.choices, Self.choiceLimit))
    noteBranches(in: sketch, always: always)
    noteOmissions(of: type, in: sketch, value: value)
    noteFormat(of: type, in: sketch)
    noteOwnDefaults(of: type, in: sketch)
    return value
  }

  /// Returns the value of the first attempt that succeeds.
  ///
  /// - Returns: The value, and whether it failed because of the type of a part, which other samples do
  ///   not change.
  private func firstValue<Value>(
    of type: Value.Type, _ attempt: (SchemaSample) throws -> Value
  ) -> (value: Value?, isPartMissing: Bool) {
    for sample in SchemaSample.all(for: type) {
      do {
        return (try attempt(sample), false)
      } catch is SchemaDecoder.NoPlaceholder {
        return (nil, true)
      } catch {}
    }
    return (nil, false)
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
      let (value, _) = firstValue(of: type) { sample in
        try type.init(
          from: SchemaDecoder(
            probe: self, sketch: sketch, caseNumber: number, sample: sample, isSmallest: true))
      }
      if let value { return value }
      number += 1
    } while number < sketch.caseNames.count
    return nil
  }

  /// Breaks the reference cycles among the sketches.
  func removeReferences() {
    for sketch in sketches { sketch.removeReferences() }
  }
}
