internal import ReactorTransport

/// The web pages, their files, and the pages of the problem types.
struct PageEndpoints {
  let files: StaticFiles

  /// The header fields of pages: they load and call only this service, and only its own pages can
  /// frame them.
  private static let headers: HTTPFields = [
    "Content-Security-Policy":
      """
    default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; \
    frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'
    """,
    "Referrer-Policy": "no-referrer",
  ]

  var all: [Endpoint] {
    [
      file(
        "/", in: "", Self.operation("inspector", "The inspector, a web page", "text/html")),
      file("/{file}", in: "", Self.part("file", "The client for pages, and shared files", .file)),
      file(
        "/inspector/{inspectorFile}", in: "inspector/",
        Self.part("inspectorFile", "A part of the inspector", .inspectorFile)),
      file(
        "/examples/", in: "examples/",
        Self.operation("examples", "Examples beside their source, a web page", "text/html")),
      file(
        "/examples/{exampleFile}", in: "examples/",
        Self.part("exampleFile", "A part of the examples", .exampleFile)),
      Endpoint(
        .get, "/problems/{problem}", needs: nil, handler: problemPage,
        operation: Operation(
          "problemPage", "The meaning of a problem, a web page", parameters: [.problem],
          content: .text("text/html"), problems: [.notFound])),
    ]
  }

  private static func part(_ id: String, _ summary: String, _ name: OpenAPIParameter) -> Operation {
    operation(id, summary, "*/*", [name], problems: [.notFound])
  }

  private static func operation(
    _ id: String, _ summary: String, _ type: String, _ parameters: [OpenAPIParameter] = [],
    problems: [ProblemKind] = []
  ) -> Operation {
    Operation(
      id, summary, parameters: parameters + [.ifNoneMatch],
      responses: [
        .init(200, "The contents", headers: [.etag], .text(type)),
        .init(304, "The client has these contents already", headers: [.etag]),
      ], problems: problems + [.invalidParameter, .notAcceptable])
  }

  /// Returns the endpoint of the files in a folder; a path without a file is an unknown path.
  private func file(_ template: String, in folder: String, _ operation: Operation) -> Endpoint {
    let files = files
    return Endpoint(
      .get, template, needs: nil,
      where: { files[folder + $0[0]] != nil },
      handler: { (call) throws(Problem) in
        let parameters = call.scope.resource?.parameters ?? []
        guard let file = files[folder + (parameters.first.map { call[$0] } ?? "")] else {
          throw Problem(.notFound, "No file exists at this address.")
        }
        // `Accept: text/html` matches `text/html; charset=utf-8`.
        try call.negotiate(String(file.mediaType.prefix { $0 != ";" }))
        let known = try EntityTags(of: call.request, in: .ifNoneMatch, name: "If-None-Match")
        if let response = HTTPResponse.notModified(file.tag, known) { return response }
        return HTTPResponse(
          status: 200,
          headers: ["Content-Type": file.mediaType, "ETag": "\"\(file.tag)\""] + .revalidated
            + (file.isPage ? Self.headers : [:]),
          body: .bytes(file.content))
      }, operation: operation)
  }

  private func problemPage(_ call: Call) throws(Problem) -> HTTPResponse {
    guard let kind = ProblemKind(rawValue: call["problem"]) else {
      throw Problem(.notFound, "No problem type has this name.")
    }
    try call.negotiate("text/html")
    return .html(explanation(of: kind), headers: Self.headers)
  }

  /// Returns the response to a path without a resource: a page for browsers, which prefer HTML, and
  /// the problem for all other clients.
  func notFound(_ problem: Problem, for request: HTTPRequest) -> HTTPResponse {
    let offered = ["application/problem+json", "text/html"]
    guard request.method == "GET" || request.method == "HEAD",
      MediaTypes.choose(from: offered, accept: request[header: .accept]) == "text/html"
    else { return problem.response }
    return HTTPResponse(
      status: problem.status,
      headers: ["Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"]
        + Self.headers,
      body: .bytes(explanation(of: problem.kind)), problem: problem.kind.rawValue)
  }

  private func explanation(of kind: ProblemKind) -> [UInt8] {
    let home = files[""] == nil ? "" : "<p><a href=\"/\">To the start page</a></p>\n"
    let page = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(kind.title)</title>
      <link rel="icon" href="/icon.svg">
      <link rel="stylesheet" href="/page.css">
      <main>
      <h1>\(kind.title)</h1>
      <p><code>/problems/\(kind.rawValue)</code> · status \(kind.status)</p>
      <p>\(kind.explanation)</p>
      \(home)</main>
      </html>

      """
    return Array(page.utf8)
  }
}
