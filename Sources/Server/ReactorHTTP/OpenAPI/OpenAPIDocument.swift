internal import ReactorTransport
internal import ReactorCoding
internal import ReactorHost

/// The OpenAPI 3.1 description of a host, or of one of its reactors.
///
/// Generated from the endpoint table and from the schemas that are derived from the reactors' Swift
/// types, so that it describes exactly what is served.
struct OpenAPIDocument {
  private let table: EndpointTable
  let host: Host
  let files: StaticFiles
  let version: String
  let prefix: String
  /// The only reactor that is described, or `nil` for the whole service.
  let reactor: String?
  private let reactors: [HostedSchemas]
  private let globals: [JSONValue.Member]

  init(
    _ table: EndpointTable, host: Host, files: StaticFiles, version: String, prefix: String = "",
    reactor: String? = nil
  ) {
    self.table = table
    self.host = host
    self.files = files
    self.version = version
    self.prefix = prefix
    self.reactor = reactor
    reactors = host.reactors.filter { reactor == nil || $0.name == reactor }
      .map { HostedSchemas($0) }
    globals = reactor == nil ? host.globals.map { HostedSchemas.schema(of: $0) } : []
  }

  /// Returns the document.
  func value() -> JSONValue {
    var document = whole
    if reactor != nil { removeUnused(in: &document) }
    return document
  }

  private var whole: JSONValue {
    [
      "openapi": "3.1.0",
      "info": [
        "title": .string(reactor.map { "reactord: \($0)" } ?? "reactord"),
        "summary": "Reactors as a service: POST actions, stream states.",
        "description": .string(Self.introduction),
        "version": .string(version),
        "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
      ],
      "servers": [["url": .string(prefix.isEmpty ? "/" : prefix)]],
      // Alternatives: a token is required only if the service authenticates its clients.
      "security": .array(Self.security),
      "paths": .object(described.map { .init(path(of: $0), operations(of: $0)) }),
      "components": [
        "securitySchemes": [
          "token": ["type": "http", "scheme": "bearer"],
          "ticket": [
            "type": "apiKey", "in": "query", "name": "ticket",
            "description": "The ticket of one stream, from `POST /v1/tickets`, for `EventSource`.",
          ],
        ],
        "schemas": .object(schemas),
        "parameters": .object(
          OpenAPIParameter.allCases.filter { reactor == nil || $0 != .reactor }.map {
            .init($0.rawValue, $0.description(for: host, files: files))
          }),
        "headers": .object(OpenAPIHeader.allCases.map { .init($0.rawValue, $0.description) }),
      ],
    ]
  }

  /// Removes the components that neither operations nor the schemas of the reactor reference.
  private func removeUnused(in document: inout JSONValue) {
    Self.removeComponents(
      from: &document, ["schemas", "parameters", "headers"],
      unusedIn: [document["paths"] ?? .null]
        + reactors.flatMap(\.schemas).map { Self.reference($0.name) })
  }

  /// Removes the components of some kinds that neither the given values nor components in them reference.
  static func removeComponents(
    from document: inout JSONValue, _ kinds: [String], unusedIn roots: [JSONValue]
  ) {
    var used: Set<String> = []
    var pending = roots
    while let value = pending.popLast() {
      switch value {
      case .array(let elements): pending += elements
      case .object(let members):
        if case .string(let target)? = value["$ref"], used.insert(target).inserted {
          let names = target.split(separator: "/").map(String.init)
          if names.count == 4, let component = document[names[1]]?[names[2]]?[names[3]] {
            pending.append(component)
          }
        }
        pending += members.map(\.value)
      default: break
      }
    }
    for kind in kinds {
      guard case .object(let members)? = document["components"]?[kind] else { continue }
      document["components"]?[kind] = .object(
        members.filter { used.contains("#/components/\(kind)/\($0.name)") })
    }
  }

  /// The resources that are described: those of the reactor, or all.
  var described: [Resource] {
    // The files of a folder have no description of their own.
    table.resources.filter {
      reactor == nil
        ? $0.template != EndpointTable.remainingPaths : $0.parameters.contains("reactor")
    }
  }

  func path(of resource: Resource) -> String {
    guard let reactor else { return resource.template }
    return resource.template.replacing("{reactor}", with: reactor)
  }

  var schemas: [JSONValue.Member] {
    var all =
      OpenAPISchemas.common
      + OpenAPISchemas.creation(parameters: reactors.compactMap(\.parameters))
      + reactors.flatMap(\.schemas) + globals
    if reactors.count != 1 { all.append(.init("State", Self.any(of: reactors.map(\.state)))) }
    let actions = reactors.compactMap(\.action)
    var action: JSONValue? = actions.first
    if actions.count > 1 {
      all.append(.init("Action", Self.any(of: actions)))
      action = Self.reference("Action")
    }
    // Without actions clients can only send an empty array.
    let actionArray: JSONValue =
      action.map { ["type": "array", "items": $0] }
      ?? ["type": "array", "items": [:], "maxItems": 0]
    all.append(.init("Actions", Self.any(of: [action, actionArray].compactMap(\.self))))
    var components = OpenAPIComponents(reserving: all.map(\.name))
    for schema in all { components.add(schema.name, schema.value) }
    return components.schemas
  }

  private static let security: [JSONValue] = [[:], ["token": []]]
  private static let streamSecurity = JSONValue.array(security + [["ticket": []]])

  private static let introduction = """
    The cursor of a representation, `{epoch}-{version}`, travels as `ETag` of responses and as `id` \
    of events. `HEAD` works wherever `GET` does, and `OPTIONS` returns `Allow`. Every error is a \
    problem (RFC 9457) whose `type` is a page of the service.
    """

  // MARK: Schemas

  /// Returns a reference to a component.
  static func reference(_ schema: String) -> JSONValue {
    ["$ref": .string("#/components/schemas/\(schema)")]
  }

  func schema(_ schema: Operation.Schema) -> JSONValue {
    switch schema {
    case .component(let name): Self.reference(name)
    case .state: reactors.count == 1 ? reactors[0].state : Self.reference("State")
    case .statePart: ["description": "The State, or its selected part."]
    case .actions: Self.reference("Actions")
    case .global: Self.any(of: globals.map { Self.reference($0.name) })
    case .inline(let schema): schema
    case .ofSession(let schema):
      [
        "type": "object", "required": ["session", "data"],
        "properties": ["session": ["type": "string"], "data": self.schema(schema)],
      ]
    }
  }

  /// Returns the schema of values that satisfy at least one of some schemas.
  private static func any(of schemas: [JSONValue]) -> JSONValue {
    guard let first = schemas.first else { return [:] }
    return schemas.count == 1 ? first : ["anyOf": .array(schemas)]
  }

  // MARK: Operations

  private static let everywhere: [OpenAPIParameter] = [.requestID, .traceparent]

  private func operations(of resource: Resource) -> JSONValue {
    .object(
      [.init("parameters", .array(Self.everywhere.map(\.reference)))]
        + resource.endpoints.map { .init($0.method.name.lowercased(), describe($0)) })
  }

  private func describe(_ endpoint: Endpoint) -> JSONValue {
    let operation = endpoint.operation()
    var description: JSONValue = [
      "operationId": .string(operation.id), "summary": .string(operation.summary),
    ]
    if !operation.detail.isEmpty { description["description"] = .string(operation.detail) }
    let parameters = operation.parameters.filter { reactor == nil || $0 != .reactor }
    if !parameters.isEmpty { description["parameters"] = .array(parameters.map(\.reference)) }
    if let body = operation.body {
      var media: JSONValue = ["schema": schema(body)]
      let examples = reactors.flatMap(\.examples)
      if case .actions = body, !examples.isEmpty { media["examples"] = .object(examples) }
      description["requestBody"] = [
        "required": .boolean(operation.isBodyRequired), "content": ["application/json": media],
      ]
    }
    if endpoint.traits.contains(.stream) { description["security"] = Self.streamSecurity }
    description["responses"] = responses(of: operation)
    return description
  }

  private func responses(of operation: Operation) -> JSONValue {
    var responses = operation.responses.map {
      JSONValue.Member(String($0.status), describe($0))
    }
    var problems = Set(operation.problems + ProblemKind.ofEveryEndpoint)
    // An operation on a session can be its first use, which can require parameters.
    if problems.contains(.sessionEnded) { problems.insert(.parametersRequired) }
    let byStatus = Dictionary(grouping: problems) { $0.status }
    for (status, kinds) in byStatus.sorted(by: { $0.key < $1.key }) {
      responses.append(.init(String(status), describe(kinds, status: status)))
    }
    if operation.hasOwnProblems {
      let text = "The reactor's own error: a problem of the type `effect-failed`."
      responses.append(.init("default", problem(text, headers: [], example: nil)))
    }
    return .object(responses)
  }

  private func describe(_ response: Operation.Response) -> JSONValue {
    var description: JSONValue = ["description": .string(response.description)]
    if !response.headers.isEmpty { description["headers"] = headers(response.headers) }
    switch response.content {
    case .json(let schema):
      description["content"] = ["application/json": ["schema": self.schema(schema)]]
    case .text(let type):
      description["content"] = .object([.init(type, ["schema": ["type": "string"]])])
    case .stream: description["content"] = ["text/event-stream": [:]]
    case .either(let schema, let type):
      description["content"] = .object([
        .init("application/json", ["schema": self.schema(schema)]),
        .init(type, ["schema": ["type": "string"]]),
      ])
    case nil: break
    }
    return description
  }

  private func describe(_ kinds: [ProblemKind], status: Int) -> JSONValue {
    let kinds = kinds.sorted { $0.rawValue < $1.rawValue }
    let text = kinds.map { "`\($0.rawValue)`: \($0.title)." }.joined(separator: "\n")
    return problem(text, headers: OpenAPIHeader.ofProblems(status), example: kinds.first)
  }

  private func problem(
    _ text: String, headers fields: [OpenAPIHeader], example: ProblemKind?
  ) -> JSONValue {
    var media: JSONValue = ["schema": Self.reference("Problem")]
    if let example {
      media["example"] = [
        "type": .string("\(prefix)/problems/\(example.rawValue)"), "title": .string(example.title),
        "status": .number(JSONNumber(example.status)),
        "detail": .string(example.explanation.filter { $0 != "`" }),
      ]
    }
    var description: JSONValue = ["description": .string(text)]
    if !fields.isEmpty { description["headers"] = headers(fields) }
    description["content"] = [Problem.mediaType: media]
    return description
  }

  private func headers(_ fields: [OpenAPIHeader]) -> JSONValue {
    .object(fields.map { .init($0.rawValue, $0.reference) })
  }
}

extension ProblemKind {
  /// The problems that every endpoint can respond with.
  static let ofEveryEndpoint: [ProblemKind] = [
    .unauthorized, .forbidden, .methodNotAllowed, .rateLimited, .headersTooLarge,
    .misdirectedRequest, .reactorQuarantined, .servicePaused, .sessionUnreadable, .unavailable,
  ]
}
