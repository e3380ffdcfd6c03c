/// One derivation: the types that were met, and the dummy values that their decoding needs.
final class SchemaProbe {
  /// Types that are being probed now; meeting one again means that it contains itself.
  private var active: [ObjectIdentifier: SchemaSketch] = [:]

  /// Types that are known, with a value where one could be made.
  private var finished: [ObjectIdentifier: (sketch: SchemaSketch, value: Any?)] = [:]

  /// Types for which the smallest value is being made.
  private var minimizing: Set<ObjectIdentifier> = []

  private var sketches: [SchemaSketch] = []

  /// Types nested deeper are left open: a generic type may contain ever larger ones.
  private static let depthLimit = 64

  /// Asks a type what its JSON looks like.
  ///
  /// - Returns: what it said, and a value of the type if one could be made.
  func probe<Value: Decodable>(_ type: Value.Type) -> (sketch: SchemaSketch, value: Value?) {
    if let (schema, value) = SchemaScalar.of(type) { return (SchemaSketch(.scalar(schema)), value) }
    let identity = ObjectIdentifier(type)
    if let known = finished[identity] { return (known.sketch, known.value as? Value) }
    if let sketch = active[identity] {
      sketch.definitionName = String(describing: type)
      return (sketch, smallest(type))
    }
    let sketch = SchemaSketch()
    sketches.append(sketch)
    guard active.count < Self.depthLimit, type != JSONValue.self, type != EncodedJSON.self else {
      return (sketch, smallest(type))
    }
    active[identity] = sketch
    let value = run(type, sketch) ?? smallest(type)
    active[identity] = nil
    finished[identity] = (sketch, value)
    return (sketch, value)
  }

  private func run<Value: Decodable>(_ type: Value.Type, _ sketch: SchemaSketch) -> Value? {
    if let values = RawValues.of(type), let value = Self.first(of: values, as: type) {
      sketch.form = .values(values)
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
      // A type that checks its text, such as a date or a URL, may like one of these.
      for text in SchemaScalar.texts where value == nil { value = attempt(case: 0, text: text) }
    }
    return value
  }

  /// The value for the first raw value, if the type decodes from raw values at all.
  private static func first<Value: Decodable>(
    of values: [JSONValue], as type: Value.Type
  ) -> Value? {
    values.first.flatMap { try? JSONCoder.decode(type, from: $0.bytes) }
  }

  /// Makes a value without looking into the type: empty arrays, absent optionals, the first case
  /// that works.
  func smallest<Value: Decodable>(_ type: Value.Type) -> Value? {
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

  /// Breaks the circles among the sketches.
  func dissolve() {
    for sketch in sketches { sketch.dissolve() }
  }
}
