import Testing

/// Each row of the contract's table of errors, except those that need another configuration: 401 and
/// 403 in `TokenTests`, 429 in `RateTests`, 507 in `FaultTests`.
@Suite(.blocking)
struct ErrorTableTests {
  let server: ReactordProcess
  let session: SessionClient
  let client: HTTPClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
    client = session.client
  }

  @Test func `400 malformed-json has the offset of the error`() throws {
    for (body, offset) in [("{", 1), ("", 0), (#"{"add":}"#, 7), ("[1,]", 3)] {
      let problem = try expectProblem(try session.post(body), 400, "malformed-json")
      #expect(problem["offset"]?.int == offset, "\(body)")
    }
    let made = try client.send("POST", session.siblings, json: "{")
    #expect(try expectProblem(made, 400, "malformed-json")["offset"] == 1)
    let global = try client.send("PUT", "/v1/globals/currentUser", json: "nul")
    #expect(try expectProblem(global, 400, "malformed-json")["offset"]?.int != nil)
  }

  @Test func `400 invalid-parameter is for parameters and fields`() throws {
    for query in ["?version=x", "?version=", "?select=%zz"] {
      try expectProblem(try session.state(query), 400, "invalid-parameter")
    }
    try expectProblem(try session.log("?limit=0"), 400, "invalid-parameter")
    for field in ["If-Match", "Idempotency-Key"] {
      let value = field == "If-Match" ? "x" : #""not closed"#
      try expectProblem(
        try session.post(#""increase""#, [field: value]), 400, "invalid-parameter")
    }
    #expect(try session.state().cursor?.version == 0)
  }

  @Test func `400 invalid-session-id applies to every method`() throws {
    let path = session.siblings + "/%20"
    for (method, part) in [
      ("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/state"), ("GET", "/log"),
      ("GET", "/events"),
    ] {
      try expectProblem(try client.send(method, path + part), 400, "invalid-session-id")
    }
    try expectProblem(
      try client.send("POST", path + "/actions", json: "1"), 400, "invalid-session-id")
  }

  @Test func `404 unknown-reactor applies to every address below it`() throws {
    for part in ["", "/sessions", "/sessions/a", "/sessions/a/state", "/sessions/a/events"] {
      try expectProblem(try client.get("/v1/reactors/unknown" + part), 404, "unknown-reactor")
    }
  }

  @Test func `404 unknown-version is for future versions`() throws {
    try expectProblem(try session.state("?version=1"), 404, "unknown-version")
  }

  @Test func `404 unknown-global`() throws {
    for part in ["", "/events"] {
      try expectProblem(try client.get("/v1/globals/unknown" + part), 404, "unknown-global")
    }
    try expectProblem(
      try client.send("PUT", "/v1/globals/unknown", json: "1"), 404, "unknown-global")
  }

  @Test func `404 not-found is for addresses and for parts of the State`() throws {
    for path in ["/nothing", "/v1", "/v1/", "/v2/reactors", "/v1/reactors/counter/things"] {
      try expectProblem(try client.get(path), 404, "not-found")
    }
    try expectProblem(try session.state("?select=/nothing"), 404, "not-found")
  }

  @Test func `405 method-not-allowed has the field Allow`() throws {
    let response = try client.send("PATCH", session.path + "/state", body: [])
    try expectProblem(response, 405, "method-not-allowed")
    #expect(response["Allow"] == "GET, HEAD, OPTIONS")
  }

  @Test(arguments: MethodTests.addresses)
  func `406 not-acceptable lists the available types, at every address`(
    address: String, methods: Set<String>
  ) throws {
    let path = address.hasPrefix("S") ? session.path + address.dropFirst() : address
    for method in methods where method != "DELETE" {
      let body = method == "GET" ? nil : Array("null".utf8)
      let response = try client.send(
        method, path, ["Accept": "image/png", "Content-Type": "application/json"], body: body)
      let problem = try expectProblem(response, 406, "not-acceptable")
      #expect(problem["offered"]?.array?.isEmpty == false)
    }
  }

  @Test func `a request that is not acceptable creates and changes nothing`() throws {
    let html = ["Accept": "text/html"]
    try expectProblem(try client.send("PUT", session.path, html), 406, "not-acceptable")
    try expectProblem(try session.post(#""increase""#, html), 406, "not-acceptable")
    #expect(try session.put().status == 201)
  }

  @Test func `409 session-exists is for a POST of an existing id`() throws {
    #expect(try session.put().status == 201)
    let body = #"{"id":"\#(session.id)"}"#
    try expectProblem(
      try client.send("POST", session.siblings, json: body), 409, "session-exists")
  }

  @Test func `410 session-ended`() throws {
    _ = try session.put()
    _ = try session.delete()
    try expectProblem(try session.state(), 410, "session-ended")
    let fork = #"{"from":{"session":"\#(session.id)"}}"#
    try expectProblem(
      try client.send("POST", session.siblings, json: fork), 410, "session-ended")
  }

  @Test func `412 version-mismatch has the current cursor`() throws {
    let tag = try #require(try session.post(#""increase""#)["ETag"])
    let response = try session.post(#""increase""#, ["If-Match": #""other-1""#])
    try expectProblem(response, 412, "version-mismatch")
    #expect(response["ETag"] == tag)
  }

  @Test func `415 unsupported-media-type lists the accepted types`() throws {
    for type in ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=x"] {
      for path in [session.path + "/actions", session.siblings] {
        let response = try client.send("POST", path, ["Content-Type": type], body: Array("1".utf8))
        try expectProblem(response, 415, "unsupported-media-type")
        #expect(response["Accept-Post"] == "application/json")
      }
    }
    try expectProblem(
      try client.send("PUT", "/v1/globals/currentUser", body: Array("null".utf8)), 415,
      "unsupported-media-type")
  }

  @Test func `422 invalid-action names the value and the expected ones`() throws {
    let problem = try expectProblem(
      try session.post(#"["increase","jump"]"#), 422, "invalid-action")
    #expect(problem["pointer"] == "/1")
    #expect(problem["expected"]?.array?.contains("increase") == true)
    let typed = try expectProblem(try session.post(#"{"add":"x"}"#), 422, "invalid-action")
    #expect(typed["pointer"] == "/add")
    #expect(typed["expected"]?.array?.isEmpty == false)
  }

  @Test func `422 invalid-body is for bodies that the address does not accept`() throws {
    for body in [
      "[]", "1", #"{"id":7}"#, #"{"from":{}}"#, #"{"from":{"session":"a","version":"x"}}"#,
    ] {
      let response = try client.send("POST", session.siblings, json: body)
      let problem = try expectProblem(response, 422, "invalid-body")
      #expect(problem["pointer"]?.string != nil)
      #expect(problem["expected"]?.array?.isEmpty == false)
    }
    let global = try client.send("PUT", "/v1/globals/currentUser", json: #"{"id":"x"}"#)
    #expect(try expectProblem(global, 422, "invalid-body")["pointer"]?.string != nil)
  }

  @Test func `422 invalid-pointer`() throws {
    for part in ["/state", "/events"] {
      try expectProblem(
        try client.get(session.path + part + "?select=value"), 422, "invalid-pointer")
    }
  }

  @Test func `500 or the reactor's own status is effect-failed`() throws {
    let profile = server.session(of: "profile")
    let problem = try expectProblem(try profile.post(#"{"follow":0}"#), 404, "effect-failed")
    #expect(problem["title"] == "No such user")
    #expect(problem["detail"]?.string?.isEmpty == false)
  }

  @Test func `a problem has only documented members`() throws {
    let problem = try session.post(#""jump""#).json
    #expect(
      problem.names.isSubset(of: ["type", "title", "status", "detail", "pointer", "expected"]))
  }
}
