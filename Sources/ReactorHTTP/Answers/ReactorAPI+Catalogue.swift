internal import ReactorCoding
internal import ReactorHost

extension ReactorAPI {
  private struct Links: Encodable {
    let `self`: String
    let sessions: String

    init(_ reactor: any HostedReactor) {
      self.`self` = "/v1/reactors/\(reactor.name)"
      sessions = "/v1/reactors/\(reactor.name)/sessions"
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
    let initialState: EncodedJSON
    let exampleActions: [EncodedJSON]
    let links: Links
  }

  func catalogue(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    try negotiate(request, "application/json")
    return Answer.json(
      encoding: Listing(
        reactors: host.reactors.map {
          Listing.Entry(name: $0.name, summary: $0.summary, links: Links($0))
        }), headers: Answer.revalidated)
  }

  func describe(
    _ reactor: any HostedReactor, _ request: HTTPRequest
  ) throws(Problem) -> HTTPResponse {
    try negotiate(request, "application/json")
    let description = reactor.description
    return Answer.json(
      encoding: Description(
        name: reactor.name, summary: reactor.summary,
        actionSchema: EncodedJSON(trusted: description.actionSchema),
        mutationSchema: EncodedJSON(trusted: description.mutationSchema),
        stateSchema: EncodedJSON(trusted: description.stateSchema),
        initialState: EncodedJSON(trusted: description.initialState),
        exampleActions: description.exampleActions.map { EncodedJSON(trusted: $0) },
        links: Links(reactor)), headers: Answer.revalidated)
  }
}
