/// An unkeyed container with one placeholder element that records the element type.
struct SchemaUnkeyedContainer: UnkeyedDecodingContainer {
  let decoder: SchemaDecoder

  var codingPath: [any CodingKey] { [] }
  var count: Int? { decoder.isSmallest ? 0 : 1 }
  var isAtEnd: Bool { decoder.isSmallest || currentIndex > 0 }
  private(set) var currentIndex = 0

  init(decoder: SchemaDecoder) {
    self.decoder = decoder
  }

  /// Bounds types that decode elements without checking `isAtEnd`.
  private static let limit = 64

  /// Records one more element; elements of several types leave the schema open.
  private mutating func note(_ inner: SchemaSketch) {
    decoder.sketch.form = .array(currentIndex == 0 ? inner : nil)
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
