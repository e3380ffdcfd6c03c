/// Renders sketches as JSON Schema.
struct SchemaRenderer {
  let direction: JSONSchema.Direction
  let spelling: JSONSchema.Spelling

  /// The names of definitions by the identity of their sketches; assigned before the schema is
  /// known.
  private var names: [ObjectIdentifier: String] = [:]
  private var definitions: [JSONValue.Member] = []

  init(direction: JSONSchema.Direction, spelling: JSONSchema.Spelling) {
    self.direction = direction
    self.spelling = spelling
  }

  /// Returns the schema of the root type with its definitions.
  mutating func schema(of sketch: SchemaSketch) -> JSONValue {
    var schema = render(sketch)
    if !definitions.isEmpty { schema["$defs"] = .object(definitions) }
    return schema
  }

  private mutating func render(_ sketch: SchemaSketch) -> JSONValue {
    guard let name = sketch.definitionName else { return renderContent(sketch) }
    let identity = ObjectIdentifier(sketch)
    if let known = names[identity] { return reference(to: known) }
    let unique = uniqueName(name)
    names[identity] = unique
    let position = definitions.count
    definitions.append(JSONValue.Member(unique, .null))
    definitions[position].value = renderContent(sketch)
    return reference(to: unique)
  }

  private func reference(to name: String) -> JSONValue {
    ["$ref": .string("#/$defs\(JSONPointer(tokens: [name]))")]
  }

  /// Returns a unique definition name of letters, digits and `_`, which needs no escaping in a URI.
  private func uniqueName(_ typeName: String) -> String {
    let base = String(typeName.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    var name = base
    var number = 2
    while definitions.contains(where: { $0.name == name }) {
      name = "\(base)\(number)"
      number += 1
    }
    return name
  }

  private mutating func renderContent(_ sketch: SchemaSketch) -> JSONValue {
    var schema: JSONValue =
      switch sketch.form {
      case .anything: [:]
      case .scalar(let schema): schema
      case .values(let values): ["enum": .array(values)]
      case .openText(let known): ["anyOf": [["enum": .array(known)], ["type": "string"]]]
      case .wrapped(let inner): render(inner)
      case .decimal: decimal
      case .array(nil): ["type": "array"]
      case .array(let element?): ["type": "array", "items": render(element)]
      case .elements(let elements, let isFixed): array(elements, isFixed: isFixed)
      case .map(nil, _): ["type": "object"]
      case .map(let value?, nil): ["type": "object", "additionalProperties": render(value)]
      case .map(let value?, let names?):
        ["type": "object", "propertyNames": names, "additionalProperties": render(value)]
      case .object: object(sketch.properties, isClosed: sketch.isClosed)
      case .cases: cases(sketch)
      case .alternatives(let forms): ["oneOf": .array(forms.map { render($0) })]
      }
    if sketch.isNullable { schema = nullable(schema) }
    if sketch.isWriteOnly { schema["writeOnly"] = true }
    return schema
  }

  private var decimal: JSONValue {
    guard direction == .input else { return ["type": "number"] }
    let pattern = #"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$"#
    return ["anyOf": [["type": "number"], ["type": "string", "pattern": .string(pattern)]]]
  }

  private mutating func array(_ elements: [SchemaSketch], isFixed: Bool) -> JSONValue {
    var kinds: [JSONValue] = []
    for element in elements.map({ render($0) }) where !kinds.contains(element) {
      kinds.append(element)
    }
    let isOpen = kinds.contains([:])
    var schema: JSONValue = [
      "type": "array",
      "items": isOpen ? [:] : kinds.count == 1 ? kinds[0] : ["anyOf": .array(kinds)],
    ]
    if isFixed {
      let count = JSONValue.number(JSONNumber(elements.count))
      schema["minItems"] = count
      schema["maxItems"] = count
    }
    return schema
  }

  /// Returns the schema extended by `null`.
  private func nullable(_ schema: JSONValue) -> JSONValue {
    if schema == [:] { return schema }
    if case .array(let alternatives)? = schema["anyOf"], alternatives.contains(["type": "null"]) {
      return schema
    }
    guard case .string(let kind)? = schema["type"] else {
      return ["anyOf": [schema, ["type": "null"]]]
    }
    var either = schema
    either["type"] = [.string(kind), "null"]
    return either
  }

  private mutating func property(_ property: SchemaSketch.Property) -> JSONValue {
    var schema = property.sketch.map { render($0) } ?? [:]
    if property.isNullable { schema = nullable(schema) }
    if direction == .input, let value = property.defaultValue { schema["default"] = value }
    return schema
  }

  private mutating func object(
    _ properties: [SchemaSketch.Property], isClosed: Bool = false
  ) -> JSONValue {
    var schema: JSONValue = ["type": "object"]
    if !properties.isEmpty {
      schema["properties"] = .object(
        properties.map { JSONValue.Member($0.name, property($0)) })
    }
    let required = properties.filter { direction == .output ? !$0.isOmitted : !$0.isOptional }
    if !required.isEmpty { schema["required"] = .array(required.map { .string($0.name) }) }
    if isClosed { schema["additionalProperties"] = false }
    return schema
  }

  private mutating func cases(_ sketch: SchemaSketch) -> JSONValue {
    var alternatives: [JSONValue] = []
    let hidden = sketch.hiddenCases
    for name in sketch.caseNames where !hidden.contains(name) {
      let found = sketch.cases.first { $0.name == name }
      guard let found else {
        alternatives.append(tagged(name, [:]))
        continue
      }
      alternatives += forms(of: found)
    }
    let bare = alternatives.compactMap { $0["const"] }
    if bare.count == alternatives.count { return ["enum": .array(bare)] }
    return ["oneOf": .array(alternatives)]
  }

  /// Returns the accepted forms of a case.
  private mutating func forms(of found: SchemaSketch.Case) -> [JSONValue] {
    let properties = found.payload.properties
    let every = spelling == .every
    if properties.isEmpty {
      let bare: JSONValue = ["const": .string(found.name)]
      return every ? [bare, tagged(found.name, ["type": "object", "maxProperties": 0])] : [bare]
    }
    var labelled = object(properties)
    labelled["additionalProperties"] = false
    guard found.shape == .single, let only = properties.first else {
      return [tagged(found.name, labelled)]
    }
    let short = property(only)
    // `{"c":{}}` would be ambiguous if the label were optional.
    labelled["required"] = [.string(only.name)]
    return [tagged(found.name, every && short != [:] ? ["anyOf": [short, labelled]] : short)]
  }

  /// The schema of an object whose only member is the payload of a case.
  private func tagged(_ name: String, _ payload: JSONValue) -> JSONValue {
    [
      "type": "object", "properties": .object([JSONValue.Member(name, payload)]),
      "required": [.string(name)], "additionalProperties": false,
    ]
  }
}
