extension JSONReader {
  /// Translates an error thrown by a type's `init(from:)` into an error about the JSON.
  ///
  /// The innermost value is explained first; the enclosing values rethrow its explanation
  /// unchanged.
  func explain<Value: Decodable>(_ error: any Error, _ type: Value.Type) -> any Error {
    if let error = error as? DecodingError, error.isExplained { return error }
    if let explanation = explainCase(type) ?? explainRawValue(type) { return explanation.wrapped() }
    return UnreadableValue.from(error, at: node, in: document).wrapped()
  }

  /// Explains why a value is no case of an enum with associated values.
  private func explainCase<Value: Decodable>(_ type: Value.Type) -> UnreadableValue? {
    guard let names = CaseNames.of(type) else { return nil }
    switch entry.kind {
    case .string:
      let name = document.string(entry)
      return names.contains { $0.hasSameBytes(as: name) }
        ? nil : .unknownCase(name, names, at: node)
    case .object:
      let members = element.members ?? []
      guard members.count == 1, let name = members.first?.name else {
        return .caseCount(members.count, names, at: node)
      }
      return names.contains { $0.hasSameBytes(as: name) }
        ? nil : .unknownCase(name, names, at: node)
    default:
      return nil
    }
  }

  /// Explains why a value is none of an enum's raw values.
  private func explainRawValue<Value: Decodable>(_ type: Value.Type) -> UnreadableValue? {
    guard entry.kind == .string || entry.kind == .number,
      let values = RawValues.of(type), !values.isEmpty
    else { return nil }
    let names = values.map { value in
      if case .string(let name) = value {
        name
      } else {
        String(decoding: value.bytes, as: UTF8.self)
      }
    }
    return UnreadableValue(
      node: node, expected: names,
      detail: "This is not one of the known values; write one of: \(names.listed).")
  }
}

extension JSONReader {
  /// Rejects a member that a type does not declare, see ``JSONCoder/Strictness/exact``.
  func checkMembers<Key: CodingKey>(keyedBy type: Key.Type) throws {
    guard let unknown = firstMember(unknownTo: type) else { return }
    let known = CaseShape.names(of: type) ?? []
    throw UnreadableValue(
      node: unknown.value.node, expected: known,
      detail:
        "There is no member \(UnreadableValue.quoted(unknown.name)) here; these are known: \(known.listed)."
    ).wrapped()
  }

  /// Returns the first member of an object with a name that no key of a type has.
  func firstMember<Key: CodingKey>(
    unknownTo type: Key.Type
  ) -> (name: String, value: JSONReader)? {
    var names = KeyNames<Key>()
    var node = node + 1
    while node < entry.next {
      let name = document.string(document.node(node))
      guard names.key(named: name) != nil else { return (name, at(node + 1)) }
      node = document.node(node + 1).next
    }
    return nil
  }
}

extension DecodingError {
  /// Whether the error already carries an explanation.
  fileprivate var isExplained: Bool {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context.underlyingError is UnreadableValue
    @unknown default: false
    }
  }
}

extension UnreadableValue {
  static func unknownCase(_ name: String, _ names: [String]?, at node: UInt32) -> UnreadableValue {
    UnreadableValue(
      node: node, expected: names ?? ["string", "object"],
      detail: "\(quoted(name)) is not known here"
        + (names.map { "; write one of: \($0.listed)." } ?? "; see the schema for what is."))
  }

  static func caseCount(_ count: Int, _ names: [String]?, at node: UInt32) -> UnreadableValue {
    UnreadableValue(
      node: node, expected: names ?? ["string", "object"],
      detail: "An object with exactly one member belongs here, not \(count)"
        + (names.map { "; its name is one of: \($0.listed)." } ?? "."))
  }

  /// The error for a value that is neither a case name nor an object with a case name as its
  /// member.
  static func noCase(_ kind: JSONKind, _ names: [String]?, at node: UInt32) -> UnreadableValue {
    UnreadableValue(
      node: node, expected: names ?? ["string", "object"],
      detail: "This is \(kind.nameWithArticle); write the name of a case"
        + (names.map { ", one of: \($0.listed)." } ?? "."))
  }
}

extension [String] {
  /// The elements joined by commas.
  var listed: String { joined(separator: ", ") }
}
