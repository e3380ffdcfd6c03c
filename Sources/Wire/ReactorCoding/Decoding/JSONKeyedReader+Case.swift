/// Reads the payload of an enum case in each accepted form.
extension JSONKeyedReader {
  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Inner> {
    let caseShape = CaseShape.of(type, forKey: key)
    guard caseShape != .none else { return try value(key).container(keyedBy: type) }
    switch shape {
    case .caseName:
      return KeyedDecodingContainer(
        JSONKeyedReader<Inner>(
          reader: reader, shape: caseShape == .single ? .missingPayload : .empty, owner: .bareCase))
    case .object:
      guard reader.entry.count == 1 else {
        throw UnreadableValue.caseCount(
          Int(reader.entry.count), CaseShape.names(of: Key.self), at: reader.node
        ).wrapped()
      }
      var payload = try value(key)
      payload.type = reader.type
      return KeyedDecodingContainer(try read(payload, keyedBy: type, caseShape))
    case .payload, .empty, .missingPayload:
      return try value(key).container(keyedBy: type)
    }
  }

  private func read<Inner: CodingKey>(
    _ payload: JSONReader, keyedBy type: Inner.Type, _ caseShape: CaseShape
  ) throws -> JSONKeyedReader<Inner> {
    let isObject = payload.entry.kind == .object
    if caseShape == .single {
      let isLabelled =
        isObject && payload.document.member(named: CaseShape.singleLabel, of: payload.node) != nil
      guard isLabelled else {
        return JSONKeyedReader<Inner>(reader: payload, shape: .payload, owner: .namedCase)
      }
    } else if !isObject {
      guard !payload.isStrict else { throw stray(payload, labels: CaseShape.names(of: type)) }
      return JSONKeyedReader<Inner>(reader: payload, shape: .empty, owner: .namedCase)
    }
    if payload.isStrict, let unknown = payload.firstMember(unknownTo: type) {
      throw stray(unknown.value, unknown.name, labels: CaseShape.names(of: type))
    }
    return JSONKeyedReader<Inner>(reader: payload, shape: .object, owner: .namedCase)
  }

  /// The error for a value or label that the case does not declare.
  private func stray(
    _ value: JSONReader, _ name: String? = nil, labels: [String]?
  ) -> DecodingError {
    let detail: String
    if labels?.isEmpty == true {
      detail = "This case takes no value; write its name only."
    } else if let name {
      detail =
        "This case has no value \(UnreadableValue.quoted(name))"
        + (labels.map { "; it takes: \($0.listed)." } ?? "; leave it out.")
    } else {
      detail = "Write an object here" + (labels.map { " with: \($0.listed)." } ?? ".")
    }
    // A case without associated values may also be written with an empty object.
    let expected = name == nil ? ["object"] : labels ?? []
    return UnreadableValue(node: value.node, expected: expected, detail: detail).wrapped()
  }
}
