internal import ReactorTransport

/// The web pages, their files, and the pages of the problem types.
struct PageEndpoints {
  let files: StaticFiles
  /// The folder of one's own pages, or `nil` without one.
  let folder: PageFolder?

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
    start + [
      file(
        "/inspector/", in: "inspector/",
        Self.operation("inspectorPage", "The inspector, a web page", "text/html")),
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
        .get, "/problems/", needs: nil, handler: problemList,
        operation: Operation(
          "problemPages", "All problem types, a web page", content: .text("text/html"))),
      Endpoint(
        .get, "/problems/{problem}", needs: nil, handler: problemPage,
        operation: Operation(
          "problemPage", "The meaning of a problem, a web page", parameters: [.problem],
          content: .text("text/html"), problems: [.notFound])),
    ]
  }

  /// The page at `/`: the inspector, unless there is a folder of pages.
  private var start: [Endpoint] {
    guard let folder else {
      return [
        file("/", in: "", Self.operation("inspector", "The inspector, a web page", "text/html"))
      ]
    }
    return FolderEndpoints(folder: folder, failure: notFound).all
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
      where: { files[folder + $0[0]] != nil && (template != "/{file}" || !$0[0].isEmpty) },
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
      return notFound(
        Problem(.notFound, "No problem type has this name. /problems/ lists all of them."),
        for: call)
    }
    try call.negotiate("text/html")
    return .html(
      page(
        kind.title, for: call,
        """
        <p><code>/problems/\(kind.rawValue)</code> · status \(kind.status)</p>
        <p>\(Self.html(kind.explanation))</p>
        <p><a href="./">All problem types</a></p>
        """), headers: Self.headers)
  }

  private func problemList(_ call: Call) throws(Problem) -> HTTPResponse {
    try call.negotiate("text/html")
    let kinds = ProblemKind.allCases.sorted { ($0.status, $0.rawValue) < ($1.status, $1.rawValue) }
    let items = kinds.map {
      """
      <li><a href="\($0.rawValue)"><code>\($0.rawValue)</code></a> · \($0.status) · \
      \(Self.html($0.title))</li>
      """
    }
    return .html(
      page("Problem types", for: call, "<ul>\n" + items.joined(separator: "\n") + "\n</ul>"),
      headers: Self.headers)
  }

  /// Returns the response to a path without a resource: a page for browsers, which prefer HTML, and
  /// the problem for all other clients.
  func notFound(_ problem: Problem, for call: Call) -> HTTPResponse {
    let request = call.request
    let offered = [Problem.mediaType, "text/html"]
    guard request.method == "GET" || request.method == "HEAD",
      MediaTypes.choose(from: offered, accept: request[header: .accept]) == "text/html"
    else { return problem.response }
    return HTTPResponse(
      status: problem.status,
      headers: ["Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"]
        + problem.headers + Self.headers,
      body: .bytes(
        page(
          problem.title, for: call,
          """
          <p><code>/problems/\(problem.kind.rawValue)</code> · status \(problem.status)</p>
          <p>\(Self.html(problem.detail))</p>
          """)), problem: problem.kind.rawValue)
  }

  /// Returns a text as HTML, with what is between backticks as code.
  private static func html(_ text: String) -> String {
    var isCode = false
    return text.reduce(into: "") { html, character in
      switch character {
      case "&": html += "&amp;"
      case "<": html += "&lt;"
      case "`":
        html += isCode ? "</code>" : "<code>"
        isCode.toggle()
      default: html.append(character)
      }
    }
  }

  /// Returns a page whose addresses are relative, so that a proxy can publish it below any path.
  private func page(_ title: String, for call: Call, _ content: String) -> [UInt8] {
    let depth = call.localPath.utf8.dropFirst().count { $0 == UInt8(ascii: "/") }
    let root = depth == 0 ? "./" : String(repeating: "../", count: depth)
    let home = files[""] == nil ? "" : "<p><a href=\"\(root)\">To the start page</a></p>\n"
    let page = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <link rel="icon" href="\(root)icon.svg">
      <link rel="stylesheet" href="\(root)page.css">
      <main>
      <h1>\(title)</h1>
      \(content)
      \(home)</main>
      </html>

      """
    return Array(page.utf8)
  }
}
