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

  func serveGlobal(_ name: String, _ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let global = try global(name)
    try negotiate(request, "application/json")
    guard request.method == "PUT" else {
      let state = global.current
      let known = try EntityTags(of: request, in: .ifNoneMatch, name: "If-None-Match")
      return known?.contains(state.cursor) == true
        ? Answer.notModified(state.cursor) : Answer.state(state)
    }
    try requireJSON(request)
    do {
      return Answer.state(try global.set(json: request.body))
    } catch {
      throw problem(for: error, kind: .invalidBody)
    }
  }
}
