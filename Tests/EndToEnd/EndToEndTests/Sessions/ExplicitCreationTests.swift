import Testing

/// `sessions.create = "explicit"`: only POST and PUT create sessions.
@Suite(.blocking)
struct ExplicitCreationTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess("--sessions-create", "explicit")
    session = server.session(of: "counter")
  }

  @Test(arguments: ["", "/state", "/log", "/events"])
  func `reading an unknown session is 404 unknown-session`(part: String) throws {
    try expectProblem(try session.client.get(session.path + part), 404, "unknown-session")
  }

  @Test func `an action to an unknown session is 404 unknown-session`() throws {
    try expectProblem(try session.post(#""increase""#), 404, "unknown-session")
    #expect(try session.put().status == 201)
    #expect(try session.post(#""increase""#).text == #"{"value":1}"#)
  }

  @Test func `PUT and POST create sessions`() throws {
    #expect(try session.put().status == 201)
    #expect(try session.state().status == 200)
    let made = try session.client.send("POST", session.siblings)
    #expect(made.status == 201)
    #expect(try session.client.get(try #require(made["Location"])).status == 200)
  }

  @Test func `an ended session is 410, not 404`() throws {
    _ = try session.put()
    #expect(try session.delete().status == 204)
    try expectProblem(try session.state(), 410, "session-ended")
  }
}
