internal import ReactorCoding
internal import Synchronization

extension ReactorAPI {
  func showOpenAPI(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    try negotiate(request, "application/json")
    let document = openAPI.withLock { known in
      if let known { return known }
      var document = OpenAPIDocument(host: host, version: settings.version)
      let made = document.value().bytes
      known = made
      return made
    }
    return Answer.json(document, headers: ["Cache-Control": "no-cache"])
  }
}
