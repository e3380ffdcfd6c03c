import Identity
import ReactorTransport
import Testing

@testable import ReactorHTTP

struct EndpointTableTests {
  private let table = Service().api.endpoints

  /// The template that a path matches, and the values of its parameters.
  private func match(_ path: String, in table: EndpointTable? = nil) -> [String]? {
    var parameters = PathParameters()
    return (table ?? self.table).match(WireText(path), &parameters).map { resource in
      [resource.template] + (0..<parameters.count).map { parameters[$0] }
    }
  }

  @Test(arguments: [
    ["/healthz", "/healthz"], ["/v1/reactors", "/v1/reactors"],
    ["/problems/not-found", "/problems/{problem}", "not-found"],
    ["/v1/reactors/c", "/v1/reactors/{reactor}", "c"],
    ["/v1/reactors/c/types.ts", "/v1/reactors/{reactor}/types.ts", "c"],
    ["/v1/reactors/c%6Fu/sessions/%61", "/v1/reactors/{reactor}/sessions/{session}", "cou", "a"],
    ["/v1/reactors/c/sessions/a%2Fb", "/v1/reactors/{reactor}/sessions/{session}", "c", "a/b"],
    ["/v1/reactors/c/sessions/%FF", "/v1/reactors/{reactor}/sessions/{session}", "c", ""],
    ["/v1/reactors/c/sessions/", "/v1/reactors/{reactor}/sessions/{session}", "c", ""],
    [
      "/v1/reactors/c/sessions/a/effects/b-1",
      "/v1/reactors/{reactor}/sessions/{session}/effects/{effect}", "c", "a", "b-1",
    ],
    ["/v1/globals/motto/events", "/v1/globals/{global}/events", "motto"],
    ["/v%31/re%61ctors", "/v1/reactors"], ["/he%61lthz", "/healthz"],
    ["/v1/reactors/caf%C3%A9", "/v1/reactors/{reactor}", "caf\u{7F}\u{7F}"],
    ["/v1/reactors/café", "/v1/reactors/{reactor}", "caf\u{7F}\u{7F}"],
  ])
  func `matches a path and decodes its parameters`(expected: [String]) {
    #expect(match(expected[0]) == Array(expected.dropFirst()))
  }

  @Test func `every template matches itself`() {
    for resource in table.resources where !resource.template.contains("ile}") {
      // Not every parameter may contain braces.
      let path = resource.template.filter { $0 != "{" && $0 != "}" }
      #expect(match(path)?.first == resource.template)
    }
  }

  @Test(arguments: [
    "", "v1/reactors", "//", "/nothing", "/v1", "/v2/reactors", "/v1/reactors/c/other",
    "/v1/reactors/c/sessions/a/other", "/v1/reactors/c/sessions/a/state/more",
    "/v1/reactors/%FF", "/v1/reactors//sessions//state/x", "/healthz/", "*",
    "/v1/reactors/c/sessions/a/state/", "/a/b/c/d/e/f/g/h/i", "/v1/reactors/c/sessions/a/log/b/c/d",
    "/v1/reactors/c/sessions/a/effects/", "/v1/reactors/c/sessions/a/effects/b/c",
    "/v1/reactors/c/sessions/a/effects/%FF", "/v1/reactors/c/sessions/a/log/b", "/%FF",
    "/inspector/%FF", "/v1/globals/motto/other", "/v1/globals/%FF/events", "/v1/%FF", "/v%3",
  ])
  func `does not match another path`(path: String) {
    #expect(match(path) == nil)
  }

  @Test(arguments: [
    ("", "/"), ("page.css", "/{file}"), ("inspector/tree.js", "/inspector/{inspectorFile}"),
    ("examples/", "/examples/"), ("examples/chat.html", "/examples/{exampleFile}"),
  ])
  func `the path of a file is known if there is the file`(path: String, template: String) throws {
    let service = Service(settings: {
      $0.files = StaticFiles([StaticFile(path: path, mediaType: "text/plain", content: [1])])
    })
    #expect(match("/\(path)", in: service.api.endpoints)?.first == template)
    #expect(try service.ask("GET", "/\(path)").body == .bytes([1]))
    let other = Service(settings: { $0.files = StaticFiles() })
    #expect(match("/\(path)", in: other.api.endpoints) == nil)
  }

  @Test(arguments: [
    ("/v1/reactors", "GET, HEAD, OPTIONS"), ("/v1/reactors/c/sessions", "GET, HEAD, POST, OPTIONS"),
    ("/v1/reactors/c/sessions/a", "GET, HEAD, PUT, DELETE, OPTIONS"),
    ("/v1/reactors/c/sessions/a/actions", "POST, OPTIONS"),
    ("/v1/reactors/c/sessions/a/effects/b", "DELETE, OPTIONS"),
    ("/v1/globals/motto", "GET, HEAD, PUT, OPTIONS"),
  ])
  func `OPTIONS lists the methods of a path`(path: String, allowed: String) throws {
    let response = try Service().ask("OPTIONS", path)
    #expect(response.status == 204)
    #expect(response[field: "Allow"] == allowed)
  }

  @Test func `an endpoint is one entry and its handler`() throws {
    let greeting = Endpoint(
      .get, "/v1/greetings/{name}", needs: .read,
      handler: { (call) throws(Problem) in
        HTTPResponse(status: 200, body: .bytes(Array("Hello, \(call["name"])".utf8)))
      }, operation: Operation("greet", "A greeting", content: .text("text/plain")))
    let service = Service(
      adding: [greeting],
      settings: { $0.authentication = .tokens("a-long-enough-token read") })
    let token = [(name: HTTPHeader.authorization, value: "Bearer a-long-enough-token")]

    #expect(try service.ask("GET", "/v1/greetings/Ada", token).text == "Hello, Ada")
    #expect(try service.ask("GET", "/v1/greetings/Ada").status == 401)
    #expect(
      try service.ask("POST", "/v1/greetings/Ada", token)[field: "Allow"] == nil,
      "the token may only read")
    #expect(
      try service.ask("OPTIONS", "/v1/greetings/Ada")[field: "Allow"] == "GET, HEAD, OPTIONS")
    #expect(try service.ask("GET", "/openapi.json", token).text.contains("/v1/greetings/{name}"))
    #expect(
      try service.ask("GET", "/metrics", token).text.contains(
        #"reactord_http_requests_total{route="/v1/greetings/{name}",method="GET",status="200"} 1"#))
  }
}

extension HTTPResponse.Body {
  fileprivate static func == (left: Self, right: Self) -> Bool {
    if case .bytes(let left) = left, case .bytes(let right) = right { left == right } else { false }
  }
}
