/// The unkeyed container that writes an array.
struct JSONUnkeyedOutput: UnkeyedEncodingContainer {
  let output: JSONOutput
  let place: JSONOutput.Place

  var codingPath: [any CodingKey] { output.path }

  var count: Int {
    let index = Int(place.depth)
    guard index < output.frames.count, output.frames[index].identity == place.identity else {
      return 0
    }
    return output.frames[index].count
  }

  /// Separates the next element from the one before.
  @inline(__always)
  private func begin() throws {
    guard let index = output.resume(place) else { throw output.closed() }
    output.separate(at: index)
    output.recordElement(at: index)
  }

  func encodeNil() throws {
    try begin()
    output.bytes.appendJSONNull()
  }

  func encode(_ value: Bool) throws {
    try begin()
    output.bytes.appendJSON(value)
  }

  func encode(_ value: String) throws {
    try begin()
    output.bytes.appendJSON(value)
  }

  func encode(_ value: Double) throws {
    try begin()
    try output.write(value)
  }

  func encode(_ value: Float) throws {
    try begin()
    try output.write(value)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    try begin()
    try output.write(value, inside: place)
  }

  /// Writes the text of the next elements.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - count: The number of elements.
  ///   - levels: The depth of their arrays and objects.
  /// - Throws: `EncodingError` if the array is closed, or `JSONDepthError`.
  func append(_ text: ArraySlice<UInt8>, count: Int, levels: Int) throws {
    try begin()
    output.countElements(count - 1, at: Int(place.depth))
    guard output.include(levels: levels) else { throw output.closed() }
    output.bytes.append(contentsOf: text)
  }

  func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) -> KeyedEncodingContainer<Key> {
    superOutput().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    superOutput().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { superOutput() }

  /// Returns an encoder for the next element, which may be written later.
  private func superOutput() -> JSONOutputEncoder {
    do {
      try begin()
    } catch {
      output.report(output.closed())
      return JSONOutputEncoder(output: output, inside: .closed)
    }
    output.valueType = Void.self
    return JSONOutputEncoder(output: output, inside: output.open(.value))
  }

  private func integer(_ value: some FixedWidthInteger) throws {
    try begin()
    output.bytes.appendJSON(value)
  }

  func encode(_ value: Int) throws { try integer(value) }
  func encode(_ value: Int8) throws { try integer(value) }
  func encode(_ value: Int16) throws { try integer(value) }
  func encode(_ value: Int32) throws { try integer(value) }
  func encode(_ value: Int64) throws { try integer(value) }
  func encode(_ value: Int128) throws { try integer(value) }
  func encode(_ value: UInt) throws { try integer(value) }
  func encode(_ value: UInt8) throws { try integer(value) }
  func encode(_ value: UInt16) throws { try integer(value) }
  func encode(_ value: UInt32) throws { try integer(value) }
  func encode(_ value: UInt64) throws { try integer(value) }
  func encode(_ value: UInt128) throws { try integer(value) }
}
