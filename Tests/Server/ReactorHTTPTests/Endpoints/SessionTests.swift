import ReactorTransport
import ReactorHTTP
import ReactorHost
import Testing

/// The responses of sessions, states, logs and globals.
struct SessionAnswerTests {
  private let service = Service()
  private let demo = "\(Service.root)/demo"

  // MARK: Addresses

  @Test(arguments: [
    ("GET", "/nothing", "404 not-found"), ("GET", "/v1/reactors/none", "404 unknown-reactor"),
    ("GET", "/v1/reactors/none/sessions/a", "404 unknown-reactor"),
    ("GET", "/v1/globals/none", "404 unknown-global"), ("GET", "/problems/none", "404 not-found"),
    ("GET", "\(Service.root)/..", "400 invalid-session-id"),
    ("GET", "\(Service.root)/a%20b/state", "400 invalid-session-id"),
    ("POST", "/v1/reactors", "405 method-not-allowed"),
    ("PATCH", "\(Service.root)/demo", "405 method-not-allowed"),
    ("GET", "\(Service.root)/demo/actions", "405 method-not-allowed"),
    ("get", "\(Service.root)/demo", "405 method-not-allowed"),
    ("GET", "\(Service.root)?limit=0", "400 invalid-parameter"),
    ("GET", "\(Service.root)/demo/log?limit=1001", "400 invalid-parameter"),
    ("GET", "\(Service.root)/demo/log?after=-1", "400 invalid-parameter"),
    ("GET", "\(Service.root)/demo?version=x", "400 invalid-parameter"),
    ("GET", "\(Service.root)/demo?version=1", "404 unknown-version"),
    ("GET", "\(Service.root)/demo?select=x", "422 invalid-pointer"),
    ("GET", "\(Service.root)/demo?select=/nowhere", "404 not-found"),
  ])
  func `a request that cannot be served is a problem`(
    method: String, target: String, problem: String
  ) throws {
    #expect(try service.ask(method, target).problem == problem)
  }

  @Test func `OPTIONS and 405 list the methods`() throws {
    let options = try service.ask("OPTIONS", demo)
    #expect(options.status == 204)
    #expect(options[field: "Allow"] == "GET, HEAD, PUT, DELETE, OPTIONS")
    #expect(try service.ask("PATCH", demo)[field: "Allow"] == "GET, HEAD, PUT, DELETE, OPTIONS")
  }

  @Test(arguments: [
    "/v1/reactors", "/v1/reactors/number", Service.root, "\(Service.root)/demo",
    "\(Service.root)/demo/log", "\(Service.root)/demo/events", "/v1/globals", "/",
  ])
  func `a representation that is not accepted is 406`(target: String) throws {
    #expect(
      try service.ask("GET", target, [(.accept, "image/png")]).problem == "406 not-acceptable")
  }

  @Test func `the catalogue describes each reactor`() throws {
    let list = try service.ask("GET", "/v1/reactors")
    #expect(
      list.text
        == #"{"reactors":[{"name":"number","summary":"A number","links":{"self":"/v1/reactors/number","sessions":"/v1/reactors/number/sessions"}}]}"#
    )
    let description = try service.ask("GET", "/v1/reactors/number").text
    #expect(description.contains(#""initialState":{"value":0,"label":"none"}"#))
    #expect(description.contains(#""exampleActions":[{"add":5}]"#))
  }

  // MARK: Making and ending

  @Test func `PUT creates a session once`() throws {
    let made = try service.ask("PUT", demo)
    #expect(made.status == 201)
    #expect(made[field: "Location"] == demo)
    let again = try service.ask("PUT", demo)
    #expect(again.status == 200)
    #expect(again[field: "ETag"] == made[field: "ETag"])
  }

  @Test func `POST creates a session with the given or a generated id`() throws {
    let made = try service.ask("POST", Service.root, body: #"{"id":"mine"}"#)
    #expect(made.status == 201)
    #expect(made[field: "Location"] == "\(Service.root)/mine")
    #expect(
      try service.ask("POST", Service.root, body: #"{"id":"mine"}"#).problem
        == "409 session-exists")
    let generated = try service.ask("POST", Service.root)
    #expect(generated.status == 201)
    #expect(generated[field: "Location"]?.utf8.count == Service.root.utf8.count + 27)
  }

  @Test(arguments: [
    (#"{"id":"a b"}"#, "400 invalid-session-id"), (#"{"id":7}"#, "422 invalid-body"),
    ("[]", "422 invalid-body"), ("{", "400 malformed-json"),
    (#"{"from":{"session":"a/b"}}"#, "400 invalid-session-id"),
    (#"{"from":{"session":"nobody"}}"#, "404 unknown-session"),
    (#"{"from":{"session":"demo","version":2}}"#, "404 unknown-version"),
    (#"{"from":{}}"#, "422 invalid-body"),
  ])
  func `a body that cannot be used is a problem`(body: String, problem: String) throws {
    try service.addOnes(1)
    #expect(try service.ask("POST", Service.root, body: body).problem == problem)
  }

  @Test func `a fork copies the history of another session`() throws {
    try service.addOnes(3)
    let fork = try service.ask(
      "POST", Service.root, body: #"{"id":"copy","from":{"session":"demo","version":2}}"#)
    #expect(fork.status == 201)
    #expect(fork.text == #"{"value":2,"label":"none"}"#)
    #expect(try service.ask("GET", "\(Service.root)/copy").text == fork.text)
  }

  @Test func `DELETE is 204 whether the session exists or not`() throws {
    try service.addOnes(1)
    #expect(try service.ask("DELETE", demo).status == 204)
    #expect(try service.ask("DELETE", demo).status == 204)
    #expect(try service.ask("GET", demo).problem == "410 session-ended")
    #expect(try service.ask("DELETE", "\(Service.root)/never").status == 204)
    #expect(try service.ask("PUT", demo).status == 201)
  }

  @Test func `with explicit creation, reading does not create a session`() throws {
    let service = Service(host: { $0.sessionCreation = .explicit })
    #expect(try service.ask("GET", demo).problem == "404 unknown-session")
    #expect(try service.act(#"{"add":1}"#).problem == "404 unknown-session")
    #expect(try service.ask("GET", "\(demo)/events").problem == "404 unknown-session")
    #expect(try service.ask("PUT", demo).status == 201)
    #expect(try service.act(#"{"add":1}"#).status == 200)
  }

  // MARK: Reading

  @Test func `a known state is 304`() throws {
    try service.addOnes(1)
    let tag = try #require(try service.ask("GET", demo)[field: "ETag"])
    for field in [tag, "W/\(tag)", "*", "\"x-1\", \(tag)"] {
      let response = try service.ask("GET", "\(demo)/state", [(.ifNoneMatch, field)])
      #expect(response.status == 304)
      #expect(response.text.isEmpty)
      #expect(response[field: "ETag"] == tag)
    }
    try service.addOnes(1)
    #expect(try service.ask("GET", demo, [(.ifNoneMatch, tag)]).status == 200)
  }

  @Test func `select and version return a part and an earlier state`() throws {
    try service.addOnes(3)
    #expect(try service.ask("GET", "\(demo)/state?select=/value").text == "3")
    let past = try service.ask("GET", "\(demo)/state?version=1&select=/value")
    #expect(past.text == "1")
    #expect(past[field: "ETag"] == "\"\(try service.cursor(1))\"")
    #expect(
      try service.ask("GET", "\(demo)?version=4").text.contains(#""oldest":0,"latest":3"#))
  }

  @Test func `the log has pages with links`() throws {
    try service.addOnes(3)
    let first = try service.ask("GET", "\(demo)/log?limit=2")
    #expect(first.text.hasPrefix(#"[{"version":1,"at":"20"#))
    #expect(first.text.contains(#""action":{"add":1},"mutation":{"add":1}}"#))
    #expect(first[field: "Link"] == "<\(demo)/log?after=2&limit=2>; rel=\"next\"")
    let last = try service.ask("GET", "\(demo)/log?after=2&limit=2")
    #expect(last.text.hasPrefix(#"[{"version":3"#))
    #expect(last[field: "Link"] == nil)
    #expect(try service.ask("GET", "\(demo)/log?after=9").text == "[]")
    let lines = try service.ask("GET", "\(demo)/log", [(.accept, "application/x-ndjson")])
    #expect(lines[field: "Content-Type"] == "application/x-ndjson")
    #expect(lines.text.split(separator: "\n").count == 3)
    #expect(lines.text.hasSuffix("}\n"))
  }

  @Test func `the list of sessions has pages with links`() throws {
    for id in ["a", "b", "c"] { _ = try service.ask("PUT", "\(Service.root)/\(id)") }
    let first = try service.ask("GET", "\(Service.root)?limit=2")
    #expect(first.text.contains(#"{"sessions":[{"id":"a","cursor":"#))
    #expect(
      first[field: "Link"] == "<\(Service.root)?limit=2&after=b>; rel=\"next\"")
    let last = try service.ask("GET", "\(Service.root)?limit=2&after=b")
    #expect(last.text.contains(#"{"sessions":[{"id":"c","#))
    #expect(last[field: "Link"] == nil)
  }

  // MARK: Globals

  @Test func `a global can be read and set`() throws {
    #expect(try service.ask("GET", "/v1/globals/motto").text == "null")
    let set = try service.ask("PUT", "/v1/globals/motto", body: #""onward""#)
    #expect(set.status == 200)
    #expect(set.text == #""onward""#)
    let tag = try #require(set[field: "ETag"])
    #expect(try service.ask("GET", "/v1/globals/motto", [(.ifNoneMatch, tag)]).status == 304)
    #expect(try service.ask("PUT", "/v1/globals/motto", body: "7").problem == "422 invalid-body")
    #expect(try service.ask("PUT", "/v1/globals/motto", body: "").problem == "400 malformed-json")
  }
}
