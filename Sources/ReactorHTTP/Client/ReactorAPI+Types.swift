internal import ReactorCoding
internal import ReactorHost

extension ReactorAPI {
  /// `GET /v1/reactors/{reactor}/types.ts`: what a page that is written in TypeScript imports.
  ///
  /// The types are written from the schemas, and those are derived from the Swift types: all three
  /// say the same.
  func declareTypes(
    of reactor: any HostedReactor, _ request: HTTPRequest
  ) throws(Problem) -> HTTPResponse {
    try negotiate(request, "application/typescript")
    let description = reactor.description
    var declarations = TypeScriptDeclarations(comment: [
      "The reactor “\(reactor.name)”: \(reactor.summary).",
      "",
      "  import { reactor } from \"/reactor.js\";",
      "  import type { Action, State } from \"/v1/reactors/\(reactor.name)/types.ts\";",
      "",
      "  const session = reactor<State, Action>(\"\(reactor.name)\", \"demo\");",
    ])
    for (name, comment, schema) in [
      ("Action", "What a client asks for.", description.actionSchema),
      ("Mutation", "One change, as the log keeps it.", description.mutationSchema),
      ("State", "What the reactor shows.", description.stateSchema),
    ] {
      let schema = (try? JSONDocument(parsing: schema)).map { JSONValue($0.root) } ?? [:]
      declarations.declare(name, comment: comment, schema: schema)
    }
    return HTTPResponse(
      status: 200,
      headers: [
        "Content-Type": "application/typescript; charset=utf-8", "Cache-Control": "no-cache",
      ],
      body: .bytes(Array(declarations.text.utf8)))
  }
}
