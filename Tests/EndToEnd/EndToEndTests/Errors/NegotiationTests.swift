import Testing

/// 406, and the pages of problems.
@Suite(.blocking)
struct NegotiationTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  @Test(arguments: [
    ("", "text/html"), ("/state", "text/event-stream"), ("/log", "text/csv"),
    ("/events", "application/json"), ("/state", "application/json;q=0"), ("/state", "*/*;q=0"),
  ])
  func `an Accept that excludes the available types is 406 not-acceptable`(
    part: String, accept: String
  ) throws {
    let response = try session.client.get(session.path + part, ["Accept": accept])
    try expectProblem(response, 406, "not-acceptable")
  }

  @Test func `an action whose response would not be acceptable is not executed`() throws {
    try expectProblem(
      try session.post(#""increase""#, ["Accept": "text/html"]), 406, "not-acceptable")
    #expect(try session.state().cursor?.version == 0)
  }

  @Test(arguments: [
    "application/json", "*/*", "application/*", "text/html, */*;q=0.1", "APPLICATION/JSON",
    "application/json; charset=utf-8", "text/html;q=1.0, application/json;q=0.001", "",
  ])
  func `an Accept that includes the type is served`(accept: String) throws {
    #expect(try session.state("", ["Accept": accept]).status == 200)
  }

  @Test(arguments: [
    "text/event-stream", "*/*", "text/*", "text/event-stream, application/json;q=0",
  ])
  func `a stream accepts the fields of EventSource and curl`(accept: String) throws {
    let stream = try EventStream(port: server.port, session.path + "/events", ["Accept": accept])
    #expect(stream.head.status == 200)
  }

  @Test(arguments: [
    "malformed-json", "invalid-parameter", "invalid-session-id", "unknown-reactor",
    "unknown-session", "unknown-version", "unknown-global", "not-found", "session-ended",
    "method-not-allowed", "not-acceptable", "unsupported-media-type", "session-exists",
    "version-mismatch", "body-too-large", "headers-too-large", "invalid-action", "invalid-body",
    "invalid-pointer", "effect-failed", "unavailable", "storage-full", "action-running",
    "idempotency-key-reused", "session-unreadable", "service-paused", "reactor-quarantined",
  ])
  func `a problem's type is the address of a page`(type: String) throws {
    let response = try session.client.get("/problems/\(type)")
    #expect(response.status == 200)
    #expect(response["Content-Type"]?.hasPrefix("text/html") == true)
  }

  @Test func `an unknown problem has no page`() throws {
    try expectProblem(try session.client.get("/problems/nothing"), 404, "not-found")
  }

  @Test func `a problem contains nothing about the machine`() throws {
    let problems = [
      try session.post(#""jump""#), try session.post("{"), try session.post(#"{"add":1.5}"#),
      try session.state("?version=9"), try session.client.get("/nothing"),
    ]
    for problem in problems {
      for secret in ["/Users", "/home", ".swift", "Reactor.", "Swift.", "DecodingError"] {
        #expect(!problem.text.contains(secret), "\(problem.text)")
      }
    }
  }
}
