/// The keyed container that writes a struct, a dictionary or an enum case.
struct JSONKeyedOutput<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let output: JSONOutput
  let place: JSONOutput.Place

  var codingPath: [any CodingKey] { output.path }

  /// The kind of container that these keys open.
  @inline(__always)
  static var kind: JSONOutput.Kind {
    ObjectIdentifier(Key.self) == DictionaryKeys.type ? .dictionary : .object
  }

  /// Writes the name of a member; its value must follow.
  @inline(__always)
  func begin(_ key: Key) throws {
    try begin(key.stringValue)
  }

  private func begin(_ name: String) throws {
    guard let index = output.resume(place) else { throw output.closed() }
    let frame = output.frames[index]
    // An enum case has a single member, its payload.
    guard frame.shape == .none else { throw output.closed() }
    switch frame.kind {
    case .singlePayload:
      // The label is omitted: the value itself is the payload.
      guard frame.count == 0 else { throw output.closed() }
      output.separate(at: index)
      return
    case .dictionary:
      output.separate(at: index)
      output.recordMember(name)
      output.recordName(name, at: index)
    case .object, .array, .set, .pairs, .value:
      output.separate(at: index)
      output.recordName(name, at: index)
    }
    output.bytes.appendJSON(name)
    output.bytes.append(ASCII.colon)
  }

  func encodeNil(forKey key: Key) throws {
    try begin(key)
    output.bytes.appendJSONNull()
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    try begin(key)
    try output.write(value, inside: place)
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Inner> {
    let shape = CaseShape.of(type, forKey: key)
    guard shape != .none, let index = output.resume(place), output.frames[index].kind == .object,
      output.frames[index].count == 0
    else {
      return superOutput(key.stringValue).container(keyedBy: type)
    }
    do {
      try begin(key)
    } catch {
      output.report(output.closed())
    }
    output.markCase(at: index, shape: shape)
    return KeyedEncodingContainer(
      JSONKeyedOutput<Inner>(
        output: output, place: output.open(shape == .single ? .singlePayload : .object)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    superOutput(key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { superOutput("super") }

  func superEncoder(forKey key: Key) -> any Encoder { superOutput(key.stringValue) }

  /// Returns an encoder for a member that may be written later.
  private func superOutput(_ name: String) -> JSONOutputEncoder {
    do {
      try begin(name)
    } catch {
      output.report(output.closed())
      return JSONOutputEncoder(output: output, inside: .closed)
    }
    output.valueType = Void.self
    return JSONOutputEncoder(output: output, inside: output.open(.value))
  }
}
