internal import ReactorCoding
internal import ReactorCore

/// Derives the schema of the members `code` and `data` in the problem of a declared error.
enum ErrorSchema {
  static func derive<E: ActionError & Codable>(_ type: E.Type) -> [UInt8] {
    let schema = JSONSchema.derive(type)
    var alternatives: [JSONValue] = []
    if case .array(let names)? = schema["enum"] {
      alternatives = names.map { object(code: $0) }
    } else if case .array(let cases)? = schema["oneOf"] {
      alternatives = cases.map { object(of: $0) }
    } else {
      let code = "\(type)".prefix(1).lowercased() + "\(type)".dropFirst()
      alternatives = [object(code: .string(code), data: schema)]
    }
    var result: JSONValue = ["oneOf": .array(alternatives)]
    if let definitions = schema["$defs"] { result["$defs"] = definitions }
    return result.bytes
  }

  /// Returns the schema for one case of an enum.
  private static func object(of form: JSONValue) -> JSONValue {
    if let name = form["const"] { return object(code: name) }
    guard case .object(let members)? = form["properties"], let member = members.first else {
      return ["type": "object"]
    }
    return object(code: .string(member.name), data: member.value)
  }

  private static func object(code: JSONValue, data: JSONValue? = nil) -> JSONValue {
    var properties: [JSONValue.Member] = [.init("code", ["const": code])]
    if let data { properties.append(.init("data", data)) }
    return [
      "type": "object", "properties": .object(properties),
      "required": .array(properties.map { .string($0.name) }),
    ]
  }
}
