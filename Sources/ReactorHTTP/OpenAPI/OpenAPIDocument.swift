internal import ReactorCoding
internal import ReactorHost

/// Writes the OpenAPI 3.1 description of what a host serves.
///
/// It is made of the table of addresses and of the schemas that are derived from the reactors'
/// Swift types, so that it cannot tell anything else than what is served.
struct OpenAPIDocument {
  private let host: Host
  private let version: String
  private var schemas = OpenAPISchemas.common

  init(host: Host, version: String) {
    self.host = host
    self.version = version
  }

  /// The document.
  mutating func value() -> JSONValue {
    let reactors = host.reactors.map { Hosted($0) }
    for reactor in reactors { schemas += reactor.schemas }
    let globals = host.globals.map { Hosted.schema(of: $0) }
    schemas += globals
    let referred = Address.Schemas(
      state: Self.any(of: reactors.map(\.state)),
      actions: Self.any(
        of: reactors.flatMap { [$0.action, ["type": "array", "items": $0.action]] }),
      actionExamples: reactors.flatMap(\.examples),
      global: Self.any(of: globals.map { Address.reference($0.name) }))
    let paths = Address.allCases.map { address in
      JSONValue.Member(address.template, path(address.operations(referred)))
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "reactord",
        "summary": "Reactors as a service: POST actions, stream states.",
        "description": .string(Self.introduction),
        "version": .string(version),
        "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
      ],
      "servers": [["url": "/"]],
      // Either: tokens are asked for only where the host has given some out.
      "security": [[:], ["token": []]],
      "paths": .object(paths),
      "components": [
        "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
        "schemas": .object(schemas),
        "parameters": .object(
          OpenAPIParameter.allCases.map { .init($0.rawValue, $0.description(for: host)) }),
        "headers": .object(OpenAPIHeader.allCases.map { .init($0.rawValue, $0.description) }),
      ],
    ]
  }

  /// What one of several schemas allows.
  private static func any(of schemas: [JSONValue]) -> JSONValue {
    guard let first = schemas.first else { return [:] }
    return schemas.count == 1 ? first : ["anyOf": .array(schemas)]
  }

  private static let introduction = """
    The cursor of a representation, `{epoch}-{version}`, travels as `ETag` of answers and as `id` of \
    events. `HEAD` works wherever `GET` does, and `OPTIONS` answers `Allow`. Every error is a \
    problem (RFC 9457) whose `type` is a page of the service.
    """

  // MARK: Operations

  private static let everywhere: [OpenAPIParameter] = [.requestID, .traceparent]

  private func path(_ operations: [Operation]) -> JSONValue {
    .object(
      [.init("parameters", .array(Self.everywhere.map(\.reference)))]
        + operations.map { .init($0.method.lowercased(), describe($0)) })
  }

  private func describe(_ operation: Operation) -> JSONValue {
    var description: JSONValue = [
      "operationId": .string(operation.id), "summary": .string(operation.summary),
    ]
    if !operation.detail.isEmpty { description["description"] = .string(operation.detail) }
    if !operation.parameters.isEmpty {
      description["parameters"] = .array(operation.parameters.map(\.reference))
    }
    if let body = operation.body {
      var media: JSONValue = ["schema": body]
      if !operation.bodyExamples.isEmpty { media["examples"] = .object(operation.bodyExamples) }
      description["requestBody"] = [
        "required": .boolean(operation.isBodyRequired), "content": ["application/json": media],
      ]
    }
    description["responses"] = responses(of: operation)
    return description
  }

  private func responses(of operation: Operation) -> JSONValue {
    var responses = operation.answers.map {
      JSONValue.Member(String($0.status), describe($0))
    }
    let problems = Set(operation.problems + ProblemKind.ofEveryAddress)
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

  private func describe(_ answer: Operation.Answer) -> JSONValue {
    var description: JSONValue = ["description": .string(answer.description)]
    if !answer.headers.isEmpty { description["headers"] = headers(answer.headers) }
    switch answer.content {
    case .json(let schema): description["content"] = ["application/json": ["schema": schema]]
    case .text(let type):
      description["content"] = .object([.init(type, ["schema": ["type": "string"]])])
    case .stream(let type): description["content"] = .object([.init(type, [:])])
    case .either(let schema, let type):
      description["content"] = .object([
        .init("application/json", ["schema": schema]),
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
    var media: JSONValue = ["schema": Address.reference("Problem")]
    if let example {
      media["example"] = [
        "type": .string("/problems/\(example.rawValue)"), "title": .string(example.title),
        "status": .number(JSONNumber(example.status)), "detail": .string(example.explanation),
      ]
    }
    var description: JSONValue = ["description": .string(text)]
    if !fields.isEmpty { description["headers"] = headers(fields) }
    description["content"] = ["application/problem+json": media]
    return description
  }

  private func headers(_ fields: [OpenAPIHeader]) -> JSONValue {
    .object(fields.map { .init($0.rawValue, $0.reference) })
  }
}

extension ProblemKind {
  /// What any request may be answered.
  static let ofEveryAddress: [ProblemKind] = [
    .unauthorized, .forbidden, .methodNotAllowed, .rateLimited, .headersTooLarge, .unavailable,
  ]
}
