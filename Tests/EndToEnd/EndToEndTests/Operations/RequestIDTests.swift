import Testing

/// `X-Request-Id`, `traceparent`, and the access log.
@Suite(.blocking)
struct RequestIDTests {
  @Test func `each response has an id of its own, or the client's`() throws {
    let session = try ReactordProcess.shared.get().session(of: "counter")
    let made = try [
      session.state(), session.state(), session.post(#""jump""#), session.client.get("/nothing"),
      session.client.send("OPTIONS", session.path), session.events().head,
    ].map { try #require($0["X-Request-Id"]) }
    #expect(Set(made).count == made.count)
    let own = ["X-Request-Id": "7b3c6f0e-9f5d-4f0e-8f0e-1234567890ab"]
    #expect(try session.state("", own)["X-Request-Id"] == own["X-Request-Id"])
    #expect(try session.post("{", own)["X-Request-Id"] == own["X-Request-Id"])
    let foreign = try session.state("", ["X-Request-Id": "no, thanks"])
    #expect(foreign["X-Request-Id"]?.contains(",") == false)
  }

  @Test func `log lines have the id of the request and its trace`() throws {
    let server = try ReactordProcess("--log-format", "json", "--log-access", "info")
    let trace = "0af7651916cd43dd8448eb211c80319c"
    let session = server.session(of: "counter")
    _ = try session.post(
      #""increase""#,
      ["X-Request-Id": "first-1", "traceparent": "00-\(trace)-b7ad6b7169203331-01"])
    try server.stop()
    let lines = try server.standardError.split(separator: "\n").map {
      try JSON(parsing: String($0))
    }
    let fields = try #require(
      lines.first { $0["message"] == "request" && $0["fields"]?["request"] == "first-1" }?["fields"]
    )
    #expect(fields["method"] == "POST")
    #expect(fields["status"] == "200")
    #expect(fields["path"] == .string(session.path + "/actions"))
    #expect(fields["route"] == "/v1/reactors/{reactor}/sessions/{session}/actions")
    let parent = try #require(fields["traceparent"]?.string)
    #expect(parent.hasPrefix("00-\(trace)-"))
    #expect(!parent.contains("b7ad6b7169203331"))
  }

  @Test func `a request writes no line at the default level`() throws {
    let server = try ReactordProcess()
    _ = try server.session(of: "counter").state()
    try server.stop()
    #expect(!server.standardError.contains(" request "))
  }
}
