/// A keyed container that supplies placeholder values and records the requested members.
struct SchemaKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: SchemaDecoder

  var codingPath: [any CodingKey] { [] }

  private var sketch: SchemaSketch { decoder.sketch }

  /// The keys reported to the type: the case that is being probed, or one arbitrary key of a
  /// dictionary.
  var allKeys: [Key] {
    if EnumMetadata(Key.self)?.isInsideEnum == true {
      let keys = CaseShape.allKeys(of: Key.self) ?? []
      sketch.form = keys.isEmpty ? .anything : .cases
      sketch.caseNames = keys.map(\.stringValue)
      return decoder.caseNumber < keys.count ? [keys[decoder.caseNumber]] : []
    }
    if !EnumMetadata.isReadable, CaseShape.mayBeCaseName(Key.self) {
      // These can be the keys of an enum, which cannot be listed without metadata.
      sketch.form = .anything
      return []
    }
    if let keys = CaseShape.allKeys(of: Key.self) { return decoder.isSmallest ? [] : keys }
    sketch.form = .map(nil, names: nil)
    let key = Key(intValue: 0) ?? Key(stringValue: "0")
    return decoder.isSmallest ? [] : key.map { [$0] } ?? []
  }

  func contains(_ key: Key) -> Bool {
    if isObject { sketch.property(key.stringValue) { $0.isOptional = true } }
    return !decoder.isSmallest
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    if isObject { sketch.property(key.stringValue) { $0.isNullable = true } }
    return decoder.isSmallest
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder.placeholder(type) { note($0, key) }
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    if isObject {
      sketch.property(key.stringValue) {
        $0.isOptional = true
        $0.isNullable = true
      }
    }
    // Record the type of the member, but report the member as absent, which every type accepts.
    if !decoder.isSmallest { _ = try? decoder.placeholder(type) { note($0, key) } }
    return nil
  }

  private var isObject: Bool {
    if case .object = sketch.form { true } else { false }
  }

  private func note(_ inner: SchemaSketch, _ key: Key) {
    if case .map = sketch.form {
      sketch.form = .map(inner, names: nil)
    } else {
      sketch.property(key.stringValue) { $0.sketch = inner }
    }
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Inner> {
    let shape = CaseShape.of(type, forKey: key)
    guard shape != .none else { return try nested(key).container(keyedBy: type) }
    let payload = SchemaSketch(.object)
    sketch.cases.append(SchemaSketch.Case(name: key.stringValue, shape: shape, payload: payload))
    return try decoder.inside(payload).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nested(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    guard let key = Key(stringValue: "super") else { throw SchemaDecoder.NoPlaceholder() }
    return nested(key)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { nested(key) }

  private func nested(_ key: Key) -> SchemaDecoder {
    let inner = SchemaSketch()
    note(inner, key)
    return decoder.inside(inner)
  }
}
