/// The decoder of one value, which is also its single-value container.
struct JSONReader: Decoder {
  let document: JSONDocument
  let node: UInt32
  let isStrict: Bool

  var codingPath: [any CodingKey] { document.path(to: node) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// A public view of the value.
  var element: JSONElement { JSONElement(document: document, node: node) }

  /// The tape entry of the value.
  @inline(__always)
  var entry: JSONNode { document.node(node) }

  @inline(__always)
  func at(_ node: UInt32) -> JSONReader {
    JSONReader(document: document, node: node, isStrict: isStrict)
  }

  /// Decodes a value of any type; errors are explained in terms of the JSON.
  @inline(__always)
  func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do {
      if let form = FoundationValue(type) { return try read(type, in: form) }
      return try Value(from: self)
    } catch {
      throw explain(error, type)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch entry.kind {
    case .object:
      // Keys of a struct type, such as those of a dictionary, accept any name and pass it to the
      // type.
      if isStrict, EnumMetadata(type) == nil { try checkNames() }
      return KeyedDecodingContainer(JSONKeyedReader<Key>(reader: self, shape: .object))
    case .string where CaseShape.mayBeCaseName(type):
      return KeyedDecodingContainer(JSONKeyedReader<Key>(reader: self, shape: .caseName))
    case _ where EnumMetadata(type)?.isInsideEnum == true:
      throw UnreadableValue.noCase(entry.kind, CaseShape.names(of: type), at: node).wrapped()
    default:
      throw mismatch("object").wrapped()
    }
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard entry.kind == .array else { throw mismatch("array").wrapped() }
    return JSONUnkeyedReader(reader: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
}
