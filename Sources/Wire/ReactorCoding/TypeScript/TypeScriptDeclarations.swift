/// Renders JSON Schemas as TypeScript types.
///
/// Supports the output of `JSONSchema`: scalars, enumerations, objects, arrays, alternatives and
/// references into `$defs`. Anything else becomes `unknown`.
public struct TypeScriptDeclarations {
  private var lines: [String] = []

  /// Creates declarations that start with a comment, one line per element.
  public init(comment: [String]) {
    lines = comment.map { $0.isEmpty ? "//" : "// " + Self.oneLine($0) }
  }

  /// Declares and exports a type, along with the definitions of its schema.
  ///
  /// - Parameters:
  ///   - name: The name of the type.
  ///   - comment: A one-sentence description.
  ///   - schema: The schema of its values, with `$defs` if it has definitions.
  public mutating func declare(_ name: String, comment: String, schema: JSONValue) {
    let writer = TypeScriptWriter(prefix: name)
    lines.append("")
    lines.append("/** \(Self.oneLine(comment).replacing("*/", with: "* /")) */")
    lines.append("export type \(name) = \(writer.type(schema));")
    guard case .object(let definitions)? = schema["$defs"] else { return }
    for definition in definitions {
      lines.append("type \(name)\(definition.name) = \(writer.type(definition.value));")
    }
  }

  /// The text of the file.
  public var text: String {
    lines.joined(separator: "\n") + "\n"
  }

  private static func oneLine(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 })
  }
}

/// Renders schemas as type expressions.
private struct TypeScriptWriter {
  /// The prefix of definition names, which keeps them unique among several types.
  let prefix: String

  private static let reference = "#/$defs/"

  func type(_ schema: JSONValue) -> String {
    if case .string(let reference)? = schema["$ref"] {
      guard reference.hasPrefix(Self.reference) else { return "unknown" }
      return prefix + reference.dropFirst(Self.reference.count)
    }
    if let value = schema["const"] { return literal(value) }
    if case .array(let values)? = schema["enum"] { return union(values.map(literal)) }
    for name in ["oneOf", "anyOf"] {
      if case .array(let alternatives)? = schema[name] { return union(of: alternatives) }
    }
    switch schema["type"] {
    case .string(let kind)?: return type(of: kind, schema)
    case .array(let kinds)?:
      return union(
        kinds.map { kind in
          if case .string(let kind) = kind { type(of: kind, schema) } else { "unknown" }
        })
    default: return "unknown"
    }
  }

  /// Returns the union of some schemas.
  ///
  /// Beside literals, `string` is written as `(string & {})`: editors drop the literals from a
  /// union with `string` and would not complete them.
  private func union(of alternatives: [JSONValue]) -> String {
    let hasLiterals = alternatives.contains { $0["enum"] != nil || $0["const"] != nil }
    return union(
      alternatives.map { hasLiterals && $0 == ["type": "string"] ? "(string & {})" : type($0) })
  }

  private func type(of kind: String, _ schema: JSONValue) -> String {
    switch kind {
    case "null", "string", "boolean": kind
    case "integer", "number": "number"
    case "array": array(schema)
    case "object": object(schema)
    default: "unknown"
    }
  }

  private func array(_ schema: JSONValue) -> String {
    let element = schema["items"].map(type) ?? "unknown"
    if case .number(let number)? = schema["maxItems"], schema["minItems"] == .number(number),
      let count = number.integer(as: Int.self), (1...16).contains(count)
    {
      return "[" + Array(repeating: element, count: count).joined(separator: ", ") + "]"
    }
    return element.contains(" | ") ? "(\(element))[]" : element + "[]"
  }

  private func object(_ schema: JSONValue) -> String {
    guard case .object(let members)? = schema["properties"], !members.isEmpty else {
      switch schema["additionalProperties"] {
      case .object(let values)?:
        let names = schema["propertyNames"]?["enum"].map { " in " + type(["enum": $0]) + "]?" }
        return "{ [name\(names ?? ": string]"): \(type(.object(values))) }"
      case .boolean(false)?: return "{ [name: string]: never }"
      default: return "{ [name: string]: unknown }"
      }
    }
    var required: [JSONValue] = []
    if case .array(let names)? = schema["required"] { required = names }
    let list = members.map { member in
      let mark = required.contains(.string(member.name)) ? "" : "?"
      return "\(name(member.name))\(mark): \(type(member.value))"
    }
    return "{ " + list.joined(separator: "; ") + " }"
  }

  private func union(_ types: [String]) -> String {
    var unique: [String] = []
    for type in types where !unique.contains(type) { unique.append(type) }
    return unique.isEmpty ? "never" : unique.joined(separator: " | ")
  }

  private func literal(_ value: JSONValue) -> String {
    switch value {
    // JSON string literals are valid in TypeScript.
    case .null, .boolean, .number, .string: String(decoding: value.bytes, as: UTF8.self)
    case .array, .object: "unknown"
    }
  }

  private func name(_ name: String) -> String {
    let isPlain =
      name.utf8.first.map { !(0x30...0x39).contains($0) } == true
      && name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_")
      }
    return isPlain ? name : literal(.string(name))
  }
}
