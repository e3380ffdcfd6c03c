/// The decoder of one value, which is also its single-value container.
struct JSONReader: Decoder {
  let document: JSONDocument
  /// The type whose members are read, or the enum of the case whose values are, or `nil` in a nested container.
  var type: (any Any.Type)?
  let node: UInt32
  let strictness: JSONCoder.Strictness

  var isStrict: Bool { strictness != .lenient }

  var codingPath: [any CodingKey] { document.path(to: node) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// A public view of the value.
  var element: JSONElement { JSONElement(document: document, node: node) }

  /// The tape entry of the value.
  @inline(__always)
  var entry: JSONNode { document.node(node) }

  @inline(__always)
  func at(_ node: UInt32) -> JSONReader {
    JSONReader(document: document, node: node, strictness: strictness)
  }

  /// The default of a member that the object lacks, or an associated value that the case lacks, or `nil` for
  /// none.
  @inline(never)
  func findDefault(_ name: String, ofCase caseName: String?) -> JSONReader? {
    if node == 0, caseName == nil, let defaults = document.rootDefaults,
      let found = defaults.member(named: name, of: 0)
    {
      return JSONReader(document: defaults, node: found, strictness: .lenient)
    }
    guard let found = type.flatMap({ DefaultMembers.of($0) })?.member(name, of: caseName)
    else { return nil }
    return JSONReader(document: found.document, node: found.node, strictness: .lenient)
  }

  /// Decodes a value of any type; errors are explained in terms of the JSON.
  @inline(__always)
  func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
    do {
      if let form = FoundationValue(type) { return try read(type, in: form) }
      var reader = self
      reader.type = type
      return try Value(from: reader)
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
      if strictness == .exact { try checkMembers(keyedBy: type) }
      if let trapping = self.type.flatMap({ TrappingValue($0) }) { try check(trapping) }
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
