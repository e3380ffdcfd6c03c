internal import ClientCore
internal import ReactorCoding
internal import ReactorCore
internal import Synchronization

/// Compares the client's types with those that the server describes, once per reactor and type.
final class TypeChecks: Sendable {
  private let checked = Mutex<Set<String>>([])

  /// Reads the description of a reactor and reports a difference.
  ///
  /// A description that cannot be read is not reported here: the stream and the actions report the
  /// reason.
  func check<Action: Decodable, State: Decodable>(
    _ reactor: String, _ action: Action.Type, _ state: State.Type, with sender: RequestSender,
    report: @escaping @Sendable (Problem) -> Void
  ) {
    let name = "\(reactor) \(String(reflecting: action)) \(String(reflecting: state))"
    guard checked.withLock({ $0.insert(name).inserted }) else { return }
    let (stateSchema, actionSchema) = (
      JSONSchema.derive(state),
      JSONSchema.derive(action, hiding: { $0 is any InternalAction.Type })
    )
    sender.send(.get("v1/reactors/\(reactor.percentEncoded)")) { [self] result in
      guard case .success(let response) = result, response.head.status == 200,
        let description = try? JSONDocument(parsing: response.body).root
      else {
        checked.withLock { _ = $0.remove(name) }
        return
      }
      let differences =
        TypeDifference.find(
          reader: stateSchema, writer: description["stateSchema"], "State")
        ?? TypeDifference.find(
          reader: description["actionSchema"].map { JSONValue($0) } ?? .null,
          writer: actionSchema, "Action")
      if let differences { report(.incompatibleTypes(reactor, differences)) }
    }
  }
}

/// Determines whether values of one JSON Schema can be read with another.
///
/// Compares what the derived schemas contain: types, members, elements and cases. Everything else, for
/// example references of recursive types, is compatible.
enum TypeDifference {
  /// Returns the first difference, with the pointer of the value, or `nil` if there is none.
  static func find(reader: JSONValue, writer: JSONElement?, _ name: String) -> String? {
    find(reader: reader, writer: writer.map { JSONValue($0) } ?? .null, name)
  }

  /// Returns the first difference, with the pointer of the value, or `nil` if there is none.
  static func find(reader: JSONValue, writer: JSONValue, _ name: String) -> String? {
    compare(reader, writer, "").map { "\(name)\($0)" }
  }

  private static func compare(_ reader: JSONValue, _ writer: JSONValue, _ path: String) -> String? {
    if let cases = writer.array("oneOf"), let known = reader.array("oneOf") {
      for variant in cases where !known.contains(where: { compare($0, variant, path) == nil }) {
        return "\(path) has a case that is not known: \(text(variant))"
      }
      return nil
    }
    if let constant = writer["const"] {
      let isText = reader["const"] == nil && types(reader)?.contains("string") ?? false
      return reader["const"] == constant || isText ? nil : "\(path) is \(text(constant))"
    }
    if reader["const"] != nil { return "\(path) is another case" }
    let (expected, actual) = (types(reader), types(writer))
    if let expected, let actual {
      let unknown = actual.subtracting(expected)
      let isNumber = unknown == ["integer"] && expected.contains("number")
      if !unknown.isEmpty, !isNumber {
        return "\(path) is \(unknown.sorted().joined(separator: " or ")), "
          + "not \(expected.sorted().joined(separator: " or "))"
      }
    }
    if let element = reader["items"], let other = writer["items"] {
      return compare(element, other, path + "/-")
    }
    return compareMembers(reader, writer, path)
  }

  private static func compareMembers(
    _ reader: JSONValue, _ writer: JSONValue, _ path: String
  ) -> String? {
    guard case .object(let members)? = reader["properties"],
      case .object(let others)? = writer["properties"]
    else { return nil }
    for member in members {
      let pointer = "\(path)/\(member.name)"
      guard let other = others.first(where: { $0.name == member.name }) else {
        if isNullable(member.value) || !isRequired(member.name, in: reader) { continue }
        return "\(pointer) is missing"
      }
      if let difference = compare(member.value, other.value, pointer) { return difference }
    }
    guard case .boolean(false)? = reader["additionalProperties"] else { return nil }
    for other in others where !members.contains(where: { $0.name == other.name }) {
      return "\(path)/\(other.name) is not known"
    }
    return nil
  }

  private static func isRequired(_ name: String, in schema: JSONValue) -> Bool {
    schema.array("required")?.contains(.string(name)) ?? false
  }

  private static func isNullable(_ schema: JSONValue) -> Bool {
    types(schema)?.contains("null") ?? true
  }

  private static func types(_ schema: JSONValue) -> Set<String>? {
    switch schema["type"] {
    case .string(let name)?: [name]
    case .array(let names)?:
      Set(names.compactMap { if case .string(let name) = $0 { name } else { nil } })
    default: nil
    }
  }

  private static func text(_ value: JSONValue) -> String {
    if case .object(let members)? = value["properties"], let first = members.first {
      return first.name
    }
    return String(decoding: (value["const"] ?? value).bytes.prefix(80), as: UTF8.self)
  }
}

extension JSONValue {
  fileprivate func array(_ name: String) -> [JSONValue]? {
    if case .array(let elements)? = self[name] { elements } else { nil }
  }
}

extension Problem {
  fileprivate static func incompatibleTypes(_ reactor: String, _ difference: String) -> Problem {
    Problem(
      .incompatibleTypes, "The types of the client are not those of the server",
      "\(reactor): \(difference). Build the client with the types of the server's version.")
  }
}
