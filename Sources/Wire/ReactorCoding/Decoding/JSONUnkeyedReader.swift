/// The unkeyed container over an array.
struct JSONUnkeyedReader: UnkeyedDecodingContainer {
  private let document: JSONDocument
  private let array: UInt32
  /// The node of the next element.
  private var next: UInt32
  private var position: UInt32 = 0
  private let strictness: JSONCoder.Strictness

  init(reader: JSONReader) {
    document = reader.document
    array = reader.node
    next = reader.node + 1
    strictness = reader.strictness
  }

  var codingPath: [any CodingKey] { document.path(to: array) }
  var currentIndex: Int { Int(position) }
  var isAtEnd: Bool { next >= document.node(array).next }

  var count: Int? {
    let count = Int(document.node(array).count)
    guard count == UInt16.max else { return count }
    // `JSONNode.count` saturates; count the elements instead.
    return JSONElement(document: document, node: array).elements?.count
  }

  /// Returns the next element; throws at the end of the array.
  @inline(__always)
  private func current() throws -> JSONReader {
    guard !isAtEnd else {
      throw UnreadableValue(
        node: array, expected: ["array"],
        detail: "The array ends too soon: it has \(position) elements, and another one is needed."
      ).wrapped()
    }
    return JSONReader(document: document, node: next, strictness: strictness)
  }

  /// Decodes the next element and advances only if that succeeds.
  @inline(__always)
  private mutating func read<Value>(_ decode: (JSONReader) throws -> Value) throws -> Value {
    let value = try decode(current())
    next = document.node(next).next
    position += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard try current().isNull else { return false }
    return try read { _ in true }
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try read { try $0.read(type) }
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    try read { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try read { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder {
    try read { $0 }
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try read { try $0.boolean() } }
  mutating func decode(_ type: String.Type) throws -> String { try read { try $0.string() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try read { try $0.floatingPoint() } }
  mutating func decode(_ type: Float.Type) throws -> Float { try read { try $0.floatingPoint() } }
  mutating func decode(_ type: Int.Type) throws -> Int { try read { try $0.integer() } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try read { try $0.integer() } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try read { try $0.integer() } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try read { try $0.integer() } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try read { try $0.integer() } }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try read { try $0.integer() } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try read { try $0.integer() } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try read { try $0.integer() } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try read { try $0.integer() } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try read { try $0.integer() } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try read { try $0.integer() } }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try read { try $0.integer() } }
}
