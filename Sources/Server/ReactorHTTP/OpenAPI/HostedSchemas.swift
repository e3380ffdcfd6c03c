internal import ReactorCoding
internal import ReactorHost

/// The schemas of a reactor, as components of the document.
struct HostedSchemas {
  let schemas: [JSONValue.Member]
  let examples: [JSONValue.Member]
  /// The schema of the parameters of its sessions.
  let parameters: JSONValue?
  /// The schema of its actions, or `nil` if clients have none.
  let action: JSONValue?
  private let name: String

  /// Returns the schema of a global, as a component of the document.
  static func schema(of global: any SharedGlobal) -> JSONValue.Member {
    .init("\(componentName(global.name)).Value", parse(global.schema))
  }

  /// Converts a name to a component name, which allows fewer characters.
  static func componentName(_ name: String) -> String {
    String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "_" })
  }

  init(_ reactor: any HostedReactor) {
    let description = reactor.description
    let name = Self.componentName(reactor.name)
    self.name = name
    let action = Self.parse(description.actionSchema)
    schemas = [
      ("Action", action), ("Mutation", Self.parse(description.mutationSchema)),
      ("State", Self.parse(description.stateSchema)),
      ("Parameters", description.parameters.map { Self.parse($0.schema) }),
      ("Rejection", description.errorSchema.map { Self.parse($0) }),
    ].compactMap { kind, schema in schema.map { .init("\(name).\(kind)", $0) } }
    parameters = description.parameters.map { _ in
      OpenAPIDocument.reference("\(name).Parameters")
    }
    // A `nil` literal would be JSON's `null`.
    self.action =
      action == ["enum": []] ? Optional.none : OpenAPIDocument.reference("\(name).Action")
    examples = description.exampleActions.enumerated().map { index, action in
      .init("\(name).\(index + 1)", ["value": Self.parse(action)])
    }
  }

  var state: JSONValue { OpenAPIDocument.reference("\(name).State") }

  private static func parse(_ json: [UInt8]) -> JSONValue {
    (try? JSONDocument(parsing: json)).map { JSONValue($0.root) } ?? [:]
  }
}
