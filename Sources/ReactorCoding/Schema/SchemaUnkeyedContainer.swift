/// An array of one dummy that notes what its elements are.
struct SchemaUnkeyedContainer: UnkeyedDecodingContainer {
  let decoder: SchemaDecoder

  var codingPath: [any CodingKey] { [] }
  var count: Int? { decoder.isSmallest ? 0 : 1 }
  var isAtEnd: Bool { decoder.isSmallest || currentIndex > 0 }
  private(set) var currentIndex = 0

  init(decoder: SchemaDecoder) {
    self.decoder = decoder
  }

  /// Whoever asks for more than this does not look where the array ends.
  private static let limit = 64

  /// Notes one more element; elements of several types leave the schema open.
  private mutating func note(_ inner: SchemaSketch) {
    decoder.sketch.form = .array(currentIndex == 0 ? inner : nil)
    currentIndex += 1
  }

  mutating func decodeNil() throws -> Bool { decoder.isSmallest }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard currentIndex < Self.limit else { throw SchemaDecoder.Refusal() }
    var inner = SchemaSketch()
    defer { note(inner) }
    return try decoder.dummy(type) { inner = $0 }
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
    guard currentIndex < Self.limit else { throw SchemaDecoder.Refusal() }
    let inner = SchemaSketch()
    note(inner)
    return decoder.inside(inner)
  }
}
