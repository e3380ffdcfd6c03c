internal import Synchronization

/// The declared defaults of a type, as JSON.
final class DefaultMembers: Sendable {
  /// A property, or an associated value of a case.
  struct Name: Hashable {
    let caseName: UTF8Text?
    let text: UTF8Text
  }

  /// An array of the values that have the defaults, or `nil` if it cannot be read.
  private let document: JSONDocument?

  /// The nodes of the defaults.
  private let nodes: [Name: UInt32]

  /// The error in the declaration, or `nil` if there is none.
  let problem: String?

  /// The declarations of types that lacked a member in JSON: at most one for each type of the program.
  private static let known = Mutex<[ObjectIdentifier: DefaultMembers?]>([:])

  /// The defaults of a type, or `nil` if it declares none.
  static func of(_ type: any Any.Type) -> DefaultMembers? {
    let identity = ObjectIdentifier(type)
    if let found = known.withLock({ $0[identity] }) { return found }
    // Outside of the lock: the declaration is code of the type.
    let members = (type as? any DecodingDefaults.Type).map { DefaultMembers($0) }
    known.withLock { $0[identity] = .some(members) }
    return members
  }

  private init<Value: DecodingDefaults>(_ type: Value.Type) {
    let declarations = type.decodingDefaults.declarations
    do {
      let document = try JSONDocument(parsing: JSONCoder.encode(declarations.map(\.value)))
      // Each default must be readable: the decoder does not expect an error in it.
      _ = try JSONCoder.decode([Value].self, from: document.root)
      var nodes: [Name: UInt32] = [:]
      for (declared, element) in zip(declarations, document.root.elements ?? []) {
        let members = Self.members(of: element, isEnum: JSONCoder.caseNames(of: type) != nil)
        for name in declared.names.isEmpty ? members.map(\.name.text.text) : declared.names {
          guard let member = members.first(where: { $0.name.text == UTF8Text(name) }) else {
            throw UnknownName(name: name, known: members.map(\.name.text.text))
          }
          nodes[member.name] = member.node
        }
      }
      (self.document, self.nodes, problem) = (document, nodes, nil)
    } catch {
      (document, nodes) = (nil, [:])
      let reason =
        switch error {
        case let error as UnknownName: error.text
        case let error as JSONDecodingFailure: "cannot be decoded again: \(error.detail)"
        default: "cannot be encoded: \(error)"
        }
      problem = "\(type).decodingDefaults \(reason)"
    }
  }

  private struct UnknownName: Error {
    let name: String
    let known: [String]

    var text: String {
      "names \(UnreadableValue.quoted(name)), which is no member of the JSON; "
        + (known.isEmpty ? "it has none." : "write one of: \(known.listed).")
    }
  }

  /// The members of an object, or of the payload of a case.
  private static func members(
    of element: JSONElement, isEnum: Bool
  ) -> [(name: Name, node: UInt32)] {
    guard let members = element.members else { return [] }
    guard isEnum, let (caseName, payload) = members.first else {
      return members.map { (Name(caseName: nil, text: UTF8Text($0.name)), $0.value.node) }
    }
    let single = (name: CaseShape.singleLabel, value: payload)
    return ((payload.members ?? []) + [single])
      .map { (Name(caseName: UTF8Text(caseName), text: UTF8Text($0.name)), $0.value.node) }
  }

  /// The default of a member.
  func member(
    _ name: String, of caseName: String?
  ) -> (document: JSONDocument, node: UInt32)? {
    let name = Name(caseName: caseName.map { UTF8Text($0) }, text: UTF8Text(name))
    guard let document, let node = nodes[name] else { return nil }
    return (document, node)
  }

  /// The defaults.
  var values: [(caseName: String?, name: String, value: JSONValue)] {
    guard let document else { return [] }
    return nodes.map { name, node in
      let value = JSONValue(JSONElement(document: document, node: node))
      return (name.caseName?.text, name.text.text, value)
    }
  }
}

extension JSONCoder {
  /// Returns the JSON of a value whose members replace those that a stored object of its type lacks, or
  /// `nil` if the type cannot decode it.
  package static func rootDefaults<Value: Codable>(_ value: Value) -> JSONDocument? {
    guard let document = try? JSONDocument(parsing: encode(value)), document.root.kind == .object,
      (try? decode(Value.self, from: document.root)) != nil
    else { return nil }
    return document
  }

  /// Decodes a stored value; a member that its object lacks has the value of `defaults`, see
  /// ``rootDefaults(_:)``.
  ///
  /// An object with a member that `defaults` does not have takes none of them: its member may have been
  /// renamed, and the value would be lost.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8], rootDefaults defaults: JSONDocument?
  ) throws -> Value {
    guard let defaults else { return try decode(type, from: bytes) }
    let document = try JSONDocument(
      parsing: bytes, depthLimit: JSONDocument.defaultDepthLimit, rootDefaults: defaults)
    let isContained = document.root.members?.allSatisfy { name, _ in
      defaults.member(named: name, of: 0) != nil
    }
    guard isContained == true else { return try decode(type, from: bytes) }
    return try decode(type, from: document.root)
  }
}
