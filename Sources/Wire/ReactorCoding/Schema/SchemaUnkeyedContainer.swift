/// An unkeyed container with one placeholder element, or two, that records the element types.
struct SchemaUnkeyedContainer: UnkeyedDecodingContainer {
  let decoder: SchemaDecoder

  var codingPath: [any CodingKey] { [] }
  private(set) var currentIndex = 0
  private var elements: [SchemaSketch] = []

  var count: Int? {
    decoder.sketch.hasEnd = true
    return (decoder.isSmallest ? 0 : 1) + decoder.sample.extra
  }

  var isAtEnd: Bool { count.map { currentIndex >= $0 } ?? true }

  init(decoder: SchemaDecoder) {
    self.decoder = decoder
  }

  /// Bounds types that decode elements without checking `isAtEnd`.
  private static let limit = 64

  /// Records one more element.
  ///
  /// A type that reads several elements without asking for the end has a fixed number of them.
  private mutating func note(_ inner: SchemaSketch) {
    let sketch = decoder.sketch
    elements.append(inner)
    sketch.form =
      elements.count == 1 ? .array(inner) : .elements(elements, isFixed: !sketch.hasEnd)
    currentIndex += 1
  }

  mutating func decodeNil() throws -> Bool { decoder.isSmallest }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard currentIndex < Self.limit else { throw SchemaDecoder.NoPlaceholder() }
    var inner = SchemaSketch()
    defer { note(inner) }
    return try decoder.placeholder(type) { inner = $0 }
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    try nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try nested().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { try nested() }

  private mutating func nested() throws -> SchemaDecoder {
    guard currentIndex < Self.limit else { throw SchemaDecoder.NoPlaceholder() }
    let inner = SchemaSketch()
    note(inner)
    return decoder.inside(inner)
  }
}
