internal import Identity
internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport

/// The hosted reactors and their types.
struct CatalogueEndpoints {
  let host: Host

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/reactors", needs: .read, reach: .anything, handler: list,
        operation: Operation(
          "listReactors", "The hosted reactors", content: .json(.component("ReactorList")))),
      Endpoint(
        .get, "/v1/reactors/{reactor}", needs: .read, traits: .projected,
        handler: describe,
        operation: Operation(
          "describeReactor", "JSON Schemas of its Action, Mutation and State, and examples",
          parameters: [.reactor], content: .json(.component("ReactorDescription")),
          problems: [.unknownReactor])),
      Endpoint(
        .get, "/v1/reactors/{reactor}/types.ts", needs: .read, traits: .projected,
        handler: declareTypes,
        operation: Operation(
          "declareTypes", "The types of its Action, Mutation and State, in TypeScript",
          parameters: [.reactor], content: .text("application/typescript"),
          problems: [.unknownReactor])),
      // `tsc` looks here if a page imports the types from the address above.
      Endpoint(
        .get, "/v1/reactors/{reactor}/types.ts.d.ts", needs: .read, traits: .projected,
        handler: declareTypes,
        operation: Operation(
          "declareTypesForCompiler", "The same types, at the address that tsc looks for",
          parameters: [.reactor], content: .text("application/typescript"),
          problems: [.unknownReactor])),
    ]
  }

  // MARK: Representations

  private struct Links: Encodable {
    let `self`: String
    let sessions: String
    let example: String?

    init(_ reactor: any HostedReactor, _ call: Call) {
      let prefix = call.scope.api.settings.prefix
      self.`self` = "\(prefix)/v1/reactors/\(reactor.name)"
      sessions = "\(prefix)/v1/reactors/\(reactor.name)/sessions"
      example = reactor.examplePage.map { $0.hasPrefix("/") ? prefix + $0 : $0 }
    }

    private enum CodingKeys: CodingKey {
      case `self`, sessions, example
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(self.`self`, forKey: .`self`)
      try container.encode(sessions, forKey: .sessions)
      if let example { try container.encode(example, forKey: .example) }
    }
  }

  private struct Listing: Encodable {
    struct Entry: Encodable {
      let name: String
      let summary: String
      let links: Links
    }

    let reactors: [Entry]
  }

  private struct Description: Encodable {
    let name: String
    let summary: String
    let actionSchema: EncodedJSON
    let mutationSchema: EncodedJSON
    let stateSchema: EncodedJSON
    let errorSchema: EncodedJSON?
    let initialState: EncodedJSON
    let exampleActions: [EncodedJSON]
    let parametersSchema: EncodedJSON?
    let defaultParameters: EncodedJSON?
    let exampleParameters: EncodedJSON?
    let links: Links
  }

  // MARK: Handlers

  private func list(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate()
    return .json(
      encoding: Listing(
        reactors: host.reactors.filter { call.scope.maySee($0) }.map {
          Listing.Entry(name: $0.name, summary: $0.summary, links: Links($0, call))
        }))
  }

  private func describe(_ call: Call) throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    try call.negotiate()
    let description = reactor.description
    let parameters = description.parameters
    return .json(
      encoding: Description(
        name: reactor.name, summary: reactor.summary,
        actionSchema: EncodedJSON(trusted: description.actionSchema),
        mutationSchema: EncodedJSON(trusted: description.mutationSchema),
        stateSchema: EncodedJSON(trusted: description.stateSchema),
        errorSchema: description.errorSchema.map { EncodedJSON(trusted: $0) },
        initialState: EncodedJSON(trusted: description.initialState),
        exampleActions: description.exampleActions.map { EncodedJSON(trusted: $0) },
        parametersSchema: parameters.map { EncodedJSON(trusted: $0.schema) },
        defaultParameters: parameters?.default.map { EncodedJSON(trusted: $0) },
        exampleParameters: parameters?.example.map { EncodedJSON(trusted: $0) },
        links: Links(reactor, call)))
  }

  /// Returns the TypeScript declarations of a reactor's types.
  ///
  /// They are derived from the schemas, and the schemas from the Swift types, so that all three
  /// agree.
  private func declareTypes(_ call: Call) throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    try call.negotiate("application/typescript")
    let description = reactor.description
    var declarations = TypeScriptDeclarations(comment: [
      "The reactor “\(reactor.name)”: \(reactor.summary).",
      "",
      "  import { reactor } from \"/reactor.js\";",
      "  import type { Action, State } from \"/v1/reactors/\(reactor.name)/types.ts\";",
      "",
      "  const session = reactor<State, Action>(\"\(reactor.name)\", \"demo\");",
      "",
      "`tsc` finds this import in the file v1/reactors/\(reactor.name)/types.ts.d.ts, which the",
      "service has at that address, below the folder that `paths` maps `/*` to.",
    ])
    for case (let name, let comment, let schema?) in [
      ("Parameters", "The parameters of a session.", description.parameters?.schema),
      ("Action", "A command of a client.", description.actionSchema),
      ("Mutation", "One change, as the log stores it.", description.mutationSchema),
      ("State", "The state that the reactor publishes.", description.stateSchema),
      ("Rejection", "The error of a rejected action, in its problem.", description.errorSchema),
    ] {
      let schema = (try? JSONDocument(parsing: schema)).map { JSONValue($0.root) } ?? [:]
      declarations.declare(name, comment: comment, schema: schema)
    }
    return HTTPResponse(
      status: 200,
      headers: ["Content-Type": "application/typescript; charset=utf-8"] + .revalidated,
      body: .bytes(Array(declarations.text.utf8)))
  }
}
