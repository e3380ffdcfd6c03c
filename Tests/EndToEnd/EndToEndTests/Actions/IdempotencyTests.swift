import Testing

/// `Idempotency-Key`: safe retries.
@Suite(.blocking) struct IdempotencyTests {
  private let server: ReactordProcess
  private let counter: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    counter = server.session(of: "counter")
  }

  private func post(
    _ session: SessionClient, _ body: String, key: String, _ headers: [String: String] = [:]
  ) throws -> HTTPResponse {
    try session.post(body, headers.merging(["Idempotency-Key": key]) { given, _ in given })
  }

  @Test func `the same key with the same body repeats the first response`() throws {
    let first = try post(counter, #""increase""#, key: "one")
    #expect(first["Idempotent-Replayed"] == nil)
    try counter.post(#"{"add":10}"#)
    let again = try post(counter, #""increase""#, key: "one")
    #expect(again.status == 200)
    #expect(again["Idempotent-Replayed"] == "true")
    #expect(again.text == first.text)
    #expect(again["ETag"] == first["ETag"])
    #expect(try counter.state().json == ["value": 11])
  }

  @Test func `the same key with another body is 422`() throws {
    _ = try post(counter, #""increase""#, key: "one")
    try expectProblem(
      post(counter, #" "increase""#, key: "one"), 422, "idempotency-key-reused")
    #expect(try counter.state().json == ["value": 1])
  }

  @Test func `a repetition of a request whose effect runs is 202 again`() throws {
    let watch = server.session(of: "stopwatch")
    let first = try post(watch, #""start""#, key: "go", ["Prefer": "respond-async"])
    #expect(first.status == 202)
    for preference in ["respond-async", "wait=0", "respond-async, return=minimal", "wait=1"] {
      let again = try post(watch, #""start""#, key: "go", ["Prefer": preference])
      #expect(again.status == 202, "\(preference)")
      #expect(again["Preference-Applied"] == preference)
      #expect(again["ETag"] != nil)
      #expect(again.text.isEmpty == preference.contains("minimal"))
    }
    // More repetitions than are retained.
    for _ in 0..<40 {
      #expect(try post(watch, #""start""#, key: "go", ["Prefer": "wait=0"]).status == 202)
    }
    try watch.post(#""stop""#)
    #expect(
      try eventually {
        let again = try post(watch, #""start""#, key: "go", ["Prefer": "respond-async"])
        return again.status == 202 && again["Idempotent-Replayed"] == "true"
          && again["Preference-Applied"] == "respond-async"
      })
    let synchronous = try post(watch, #""start""#, key: "go")
    #expect(synchronous.status == 200)
    #expect(synchronous["Idempotent-Replayed"] == "true")
    #expect(synchronous["Preference-Applied"] == nil)
    #expect(try watch.state().json["isRunning"] == false)
  }

  @Test(arguments: [#""start""#, #"["start"]"#])
  func `a repetition waits for the effect of the first request`(body: String) throws {
    let watch = server.session(of: "stopwatch")
    #expect(try post(watch, body, key: "go", ["Prefer": "wait=0"]).status == 202)
    let waiting = server.client()
    try waiting.start(
      "POST", watch.path + "/actions",
      ["Content-Type": "application/json", "Idempotency-Key": "go", "Prefer": "wait=600"],
      body: Array(body.utf8))
    try watch.post(#""stop""#)
    let response = try waiting.response(to: "POST")
    #expect(response.status == 200)
    #expect(response["Idempotent-Replayed"] == "true")
    let again = try post(watch, body, key: "go")
    #expect(again.text == response.text)
    #expect(again["ETag"] == response["ETag"])
  }

  @Test func `a key is quoted or bare`() throws {
    let first = try post(counter, #""increase""#, key: #""a \"b\\""#)
    #expect(first.status == 200)
    #expect(try post(counter, #""increase""#, key: #""a \"b\\""#)["Idempotent-Replayed"] == "true")
    #expect(try post(counter, #""increase""#, key: "bare")["Idempotent-Replayed"] == nil)
    #expect(try post(counter, #""increase""#, key: #""bare""#)["Idempotent-Replayed"] == "true")
    let long = String(repeating: "k", count: 128)
    #expect(try post(counter, #""increase""#, key: long).status == 200)
  }

  @Test(arguments: [
    "", #""""#, "a b", "a, b", #""open"#, #"a"b"#, #""a"b"#, "\"\\x\"", "é",
    String(repeating: "k", count: 129),
  ])
  func `a malformed key is 400`(_ key: String) throws {
    let problem = try expectProblem(
      post(counter, #""increase""#, key: key), 400, "invalid-parameter")
    #expect(problem["parameter"] == "Idempotency-Key")
    #expect(try counter.state().cursor?.version == 0)
  }

  @Test func `a request that was rejected before it ran is not stored`() throws {
    try expectProblem(post(counter, #""jump""#, key: "one"), 422, "invalid-action")
    try expectProblem(
      post(counter, #""increase""#, key: "one", ["If-Match": #""other-1""#]), 412,
      "version-mismatch")
    #expect(try post(counter, #""increase""#, key: "one").json == ["value": 1])
    // The condition is not part of the key.
    let again = try post(counter, #""increase""#, key: "one", ["If-Match": #""other-1""#])
    #expect(again.status == 200)
    #expect(again["Idempotent-Replayed"] == "true")
  }

  @Test func `a failed effect is stored`() throws {
    let profile = server.session(of: "profile")
    let first = try post(profile, #"{"follow":0}"#, key: "one")
    #expect(first.status == 404)
    try profile.post(#"{"follow":3}"#)
    let again = try post(profile, #"{"follow":0}"#, key: "one")
    #expect(again.status == 404)
    #expect(again.text == first.text)
    #expect(again["ETag"] == first["ETag"])
    #expect(again["Idempotent-Replayed"] == "true")
  }

  @Test(arguments: [
    "[]", #"["increase","increase"]"#, #"["increase",{"add":9223372036854775807}]"#,
  ])
  func `arrays have keys too`(_ body: String) throws {
    let first = try post(counter, body, key: "one")
    let again = try post(counter, body, key: "one")
    #expect(again.status == first.status)
    #expect(again.text == first.text)
    #expect(again["ETag"] == first["ETag"])
    #expect(again["Idempotent-Replayed"] == "true")
  }

  @Test func `a response without a body is repeated without one`() throws {
    let minimal = ["Prefer": "return=minimal"]
    let first = try post(counter, #""increase""#, key: "one", minimal)
    let again = try post(counter, #""increase""#, key: "one", minimal)
    #expect(first.status == 204)
    #expect(again.status == 204)
    #expect(again["ETag"] == first["ETag"])
  }

  @Test func `keys are scoped to a session`() throws {
    _ = try post(counter, #""increase""#, key: "one")
    let other = server.session(of: "counter")
    #expect(try post(other, #"{"add":5}"#, key: "one").json == ["value": 5])
  }

  @Test func `a key is stored for the time of actions.idempotency`() throws {
    let server = try ReactordProcess("--actions-idempotency", "0.1")
    let counter = server.session(of: "counter")
    _ = try post(counter, #""increase""#, key: "one")
    #expect(
      try eventually {
        try post(counter, #""increase""#, key: "one")["Idempotent-Replayed"] == nil
      })
    #expect(try counter.state().cursor?.version == 2)
  }
}
