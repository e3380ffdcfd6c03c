/// The decoder of one value, and the container of that value when it is a single one.
struct JSONReader: Decoder {
  let document: JSONDocument
  let node: UInt32
  let isStrict: Bool

  var codingPath: [any CodingKey] { document.path(to: node) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The value, as others read it.
  var element: JSONElement { JSONElement(document: document, node: node) }

  /// The value's entry on the tape.
  @inline(__always)
  var entry: JSONNode { document.node(node) }

  @inline(__always)
  func at(_ node: UInt32) -> JSONReader {
    JSONReader(document: document, node: node, isStrict: isStrict)
  }

  /// Makes a value of any type from this one.
  @inline(__always)
  func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do {
      return try Value(from: self)
    } catch {
      throw explain(error, type)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    switch entry.kind {
    case .object:
      return KeyedDecodingContainer(JSONKeyedReader<Key>(reader: self, shape: .object))
    case .string where EnumMetadata(type)?.isInsideEnum == true:
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
