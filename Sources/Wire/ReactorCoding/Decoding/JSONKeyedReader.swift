/// The keyed container over an object, or over one of the forms of an enum case.
struct JSONKeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let reader: JSONReader
  let shape: Shape
  let owner: Owner
  /// Set for objects with more than ``KeyIndex/threshold`` members.
  private let index: KeyIndex?

  /// The form of the value that the keys are looked up in.
  enum Shape {
    /// An object: each key is a member.
    case object
    /// The bare name of a case, which is the only key; its payload is empty.
    case caseName
    /// The unlabelled associated value of a case; the only key stands for the value itself.
    case payload
    /// An empty payload: the text has only the name of the case, or a value that is ignored.
    case empty
    /// No value, although the case declares one.
    case missingPayload
  }

  /// The declaration that the keys belong to.
  enum Owner {
    /// A type.
    case type
    /// A case whose name is the member that has this value.
    case namedCase
    /// A case whose name is this value.
    case bareCase
  }

  init(reader: JSONReader, shape: Shape, owner: Owner = .type) {
    self.reader = reader
    self.shape = shape
    self.owner = owner
    let isLarge = shape == .object && reader.entry.count > KeyIndex.threshold
    index = isLarge ? KeyIndex(of: reader.node, in: reader.document) : nil
  }

  var codingPath: [any CodingKey] { reader.codingPath }

  var allKeys: [Key] {
    switch shape {
    case .caseName:
      return keys(named: reader.entry)
    case .payload, .missingPayload:
      return Key(stringValue: CaseShape.singleLabel).map { [$0] } ?? []
    case .empty:
      return []
    case .object:
      let document = reader.document
      let entry = reader.entry
      var node = reader.node + 1
      // The usual encoding of a case. An array literal is cheaper than an array that grows.
      if entry.count == 1 { return keys(named: document.node(node)) }
      var names = KeyNames<Key>()
      var keys: [Key] = []
      while node < entry.next {
        if let key = names.key(named: document.string(document.node(node))) { keys.append(key) }
        node = document.node(node + 1).next
      }
      return keys
    }
  }

  @inline(__always)
  private func keys(named name: JSONNode) -> [Key] {
    let name = reader.document.string(name)
    // Skip `KeyNames`, which is only needed for names that are not ASCII.
    if name.isASCII {
      guard let key = Key(stringValue: name) else { return [] }
      return [key]
    }
    var names = KeyNames<Key>()
    guard let key = names.key(named: name) else { return [] }
    return [key]
  }

  func contains(_ key: Key) -> Bool {
    switch shape {
    case .caseName: reader.document.isString(reader.entry, equalTo: key.stringValue)
    case .missingPayload: true
    case .object, .payload, .empty: find(key) != nil
    }
  }

  /// Returns the value of a required member, or its default.
  @inline(__always)
  func value(_ key: Key) throws -> JSONReader {
    guard let node = find(key) else {
      guard let value = defaultValue(key) else { throw absent(key) }
      return value
    }
    return reader.at(node)
  }

  /// Returns the value of an optional member, or its default, or `nil` if it is absent or `null`.
  @inline(__always)
  func valueIfPresent(_ key: Key) throws -> JSONReader? {
    guard let value = find(key).map({ reader.at($0) }) ?? defaultValue(key) else {
      if shape == .missingPayload || shape == .caseName { throw absent(key) }
      return nil
    }
    return value.isNull ? nil : value
  }

  @inline(__always)
  private func find(_ key: Key) -> UInt32? {
    switch shape {
    case .object:
      let name = key.stringValue
      guard let index else { return reader.document.member(named: name, of: reader.node) }
      return index.value(named: name)
    case .payload: return reader.node
    case .caseName, .empty, .missingPayload: return nil
    }
  }

  private func defaultValue(_ key: Key) -> JSONReader? {
    // The key of a bare case name is the case.
    guard shape != .caseName, shape != .payload else { return nil }
    return reader.findDefault(key.stringValue, ofCase: caseName)
  }

  private var caseName: String? {
    switch owner {
    case .type: nil
    case .namedCase: reader.document.string(reader.document.node(reader.node - 1))
    case .bareCase: reader.document.string(reader.entry)
    }
  }

  private func absent(_ key: Key) -> DecodingError {
    let name = UnreadableValue.quoted(key.stringValue)
    var problem: UnreadableValue =
      switch shape {
      case .object: .missing(key.stringValue, in: reader.node)
      case .caseName: reader.mismatch("object")
      case .payload, .empty, .missingPayload:
        UnreadableValue(
          node: reader.node, expected: ["object"],
          detail: shape == .empty
            ? "A value for \(name) is needed here; write an object that has it."
            : "This case takes a value; write an object with the case as its only member.")
      }
    if shape != .caseName {
      problem.missingMember = .init(
        type: reader.type.map { String(describing: $0) }, caseName: caseName,
        name: key.stringValue)
    }
    return problem.wrapped(asMissing: key)
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try value(key).isNull
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try value(key).read(type)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try valueIfPresent(key)?.read(type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try value(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    guard let node = reader.document.member(named: "super", of: reader.node) else {
      throw UnreadableValue.missing("super", in: reader.node).wrapped()
    }
    return reader.at(node)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    try value(key)
  }
}
