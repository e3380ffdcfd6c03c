internal import ReactorCoding
internal import ReactorHost

extension ReactorAPI {
  private struct Listing: Encodable {
    struct Entry: Encodable {
      struct Links: Encodable {
        let `self`: String
        let events: String
      }

      let name: String
      let links: Links
    }

    let globals: [Entry]
  }

  func listGlobals(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    try negotiate(request, "application/json")
    return Answer.json(
      encoding: Listing(
        globals: host.globals.map {
          let address = "/v1/globals/\($0.name)"
          return Listing.Entry(
            name: $0.name, links: .init(self: address, events: address + "/events"))
        }), headers: Answer.revalidated)
  }

  func serveGlobal(
    _ name: String, _ request: HTTPRequest, _ answer: @escaping HTTPAnswer
  ) throws(Problem) {
    let global = try global(name)
    try negotiate(request, "application/json")
    guard request.method == "PUT" else {
      let state = global.current
      let known = try EntityTags(of: request, in: .ifNoneMatch, name: "If-None-Match")
      if let known, known.contains(state.cursor) {
        return answer(Answer.notModified(state.cursor, known))
      }
      return answer(Answer.state(state))
    }
    try requireJSON(request)
    do {
      try global.set(json: request.body) { [self] result in
        switch result {
        case .success(let state): answer(Answer.state(state))
        case .failure(let error): answer(problem(for: error).response)
        }
      }
    } catch {
      throw problem(for: error, kind: .invalidBody)
    }
  }
}
