internal import ReactorCoding

/// The schemas of a document in the form that generators of clients understand.
///
/// A generator declares one type per component: nested objects, enumerations and alternatives become components of
/// their own, named after their place. Every value has one `type`, `null` is an alternative, plain cases are one
/// enumeration, arrays have `items`, and numbers a `format`. The values that a schema permits stay the same.
struct OpenAPIComponents {
  private(set) var schemas: [JSONValue.Member] = []
  /// The letters and digits of all names: generators derive the names of types from them.
  private var names: Set<String> = []
  /// The components below the one that is being added, by their schemas.
  private var known: [JSONValue: String] = [:]
  /// The component that is being added.
  private var root = ""

  /// The length from which a name does not contain its whole place: it becomes the name of a file.
  private static let nameLimit = 100

  /// Reserves names for components that are added later and referenced before.
  init(reserving names: [String]) {
    self.names = Set(names.map(Self.key))
  }

  /// Adds a component of a reserved name, and those of its parts.
  mutating func add(_ name: String, _ schema: JSONValue) {
    root = name
    known = [:]
    if case .object(let definitions)? = schema["$defs"] {
      for definition in definitions {
        let component = "\(name).\(definition.name)"
        names.insert(Self.key(component))
        schemas.append(.init(component, content(definition.value, component)))
      }
    }
    var schema = schema
    schema["$defs"] = nil
    schemas.append(.init(name, content(schema, name)))
  }

  /// Returns a schema that is part of a component or an operation: a reference if it has a component of its own.
  private mutating func part(_ schema: JSONValue, _ place: String) -> JSONValue {
    let content = content(schema, place)
    let isNullable = alternatives(of: content).contains(["type": "null"])
    guard
      content["properties"] != nil || content["enum"] != nil
        || !alternatives(of: content).isEmpty && !isNullable
    else { return content }
    if let name = known[content] { return OpenAPIDocument.reference(name) }
    let name = unique(place)
    known[content] = name
    schemas.append(.init(name, content))
    return OpenAPIDocument.reference(name)
  }

  private mutating func content(_ schema: JSONValue, _ place: String) -> JSONValue {
    if case .string(let target)? = schema["$ref"] {
      guard target.hasPrefix("#/$defs/") else { return schema }
      return OpenAPIDocument.reference("\(root).\(target.dropFirst(8))")
    }
    var schema = schema
    if case .array(let kinds)? = schema["type"] {
      let description = schema["description"]
      schema["description"] = nil
      schema = [
        "anyOf": .array(
          kinds.map { kind in
            if kind == "null" { return ["type": "null"] }
            var alternative = schema
            alternative["type"] = kind
            return alternative
          })
      ]
      schema["description"] = description
    }
    for word in ["oneOf", "anyOf"] where schema[word] != nil {
      return union(schema, word, place)
    }
    if let value = schema["const"] {
      schema["const"] = nil
      schema["enum"] = [value]
    }
    if case .array(let values)? = schema["enum"], schema["type"] == nil {
      // OpenAPI has no empty enumeration.
      guard !values.isEmpty else { return ["not": [:]] }
      let kinds = Set(values.map(Self.kind))
      guard kinds.count == 1, let kind = kinds.first, case .object(let members) = schema else {
        return schema
      }
      schema = .object([.init("type", .string(kind))] + members)
    }
    switch schema["type"] {
    case "array": schema["items"] = part(schema["items"] ?? [:], place + ".Item")
    case "object": members(&schema, place)
    case "integer" where schema["format"] == nil && schema["enum"] == nil:
      // An unsigned type of 64 bits has a minimum and no maximum; so has UInt128, which clients do not have.
      if schema["minimum"] == 0, schema["maximum"] == nil {
        schema["maximum"] = .number(JSONNumber(UInt64.max))
      }
      schema["format"] = Self.format(schema).map { .string($0) }
    case "number" where schema["format"] == nil: schema["format"] = "double"
    default: break
    }
    return schema
  }

  private mutating func members(_ schema: inout JSONValue, _ place: String) {
    if case .object(let members)? = schema["properties"] {
      schema["properties"] = .object(
        members.map { .init($0.name, part($0.value, "\(place).\(Self.word($0.name))")) })
    }
    if case .object? = schema["additionalProperties"], let values = schema["additionalProperties"] {
      schema["additionalProperties"] = part(values, place + ".Value")
    }
  }

  private mutating func union(_ schema: JSONValue, _ word: String, _ place: String) -> JSONValue {
    var schema = schema
    let all = alternatives(of: schema)
    let isNullable = all.contains(["type": "null"])
    let plain = all.compactMap { $0["const"] }
    var others = all.filter { $0["const"] == nil && $0 != ["type": "null"] }
    if !plain.isEmpty { others.insert(["enum": .array(plain)], at: 0) }
    schema[word] = nil
    if others.count == 1, case .object(let members) = others[0], !isNullable {
      for member in members { schema[member.name] = member.value }
      return content(schema, place)
    }
    if isNullable {
      let inner = others.count == 1 ? others[0] : [word: .array(others)]
      // A component of its own has another name than this one.
      schema["anyOf"] = [part(inner, place == root ? place + ".Content" : place), ["type": "null"]]
      return schema
    }
    schema[word] = .array(
      others.enumerated().map { part($1, "\(place).\(Self.word(of: $1) ?? String($0 + 1))") })
    return schema
  }

  private func alternatives(of schema: JSONValue) -> [JSONValue] {
    for word in ["oneOf", "anyOf"] {
      if case .array(let alternatives)? = schema[word] { return alternatives }
    }
    return []
  }

  // MARK: Names

  private mutating func unique(_ place: String) -> String {
    let isLong = place.utf8.count > Self.nameLimit
    let base = isLong ? "\(root).\(place.split(separator: ".").last ?? "")" : place
    var name = base
    var number = 2
    while !names.insert(Self.key(name)).inserted {
      name = "\(base)\(number)"
      number += 1
    }
    return name
  }

  /// Returns the name of an alternative: of the plain cases, of its constant member, or of its only one.
  private static func word(of alternative: JSONValue) -> String? {
    if alternative["enum"] != nil { return "Name" }
    guard case .object(let members)? = alternative["properties"] else { return nil }
    for member in members {
      if case .string(let text)? = member.value["const"] { return word(text) }
    }
    return members.count == 1 ? word(members[0].name) : nil
  }

  private static func word(_ text: String) -> String {
    let name = HostedSchemas.componentName(text)
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  private static func key(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  // MARK: Types

  private static func kind(of value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .boolean: "boolean"
    case .number(let number): number.integer(as: Int.self) == nil ? "number" : "integer"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// Returns the smallest format that has all values of the schema, or `nil` if one of 64 bits does not have them.
  private static func format(_ schema: JSONValue) -> String? {
    let bounds = ["minimum", "maximum"].compactMap { name -> JSONNumber? in
      if case .number(let bound)? = schema[name] { bound } else { nil }
    }
    let numbers = bounds.compactMap { $0.integer(as: Int.self) }
    guard numbers.count == bounds.count else { return nil }
    return numbers.count == 2 && numbers.allSatisfy { Int32(exactly: $0) != nil }
      ? "int32" : "int64"
  }
}
