import Testing

/// Creating, ending and recreating sessions.
@Suite(.blocking)
struct SessionTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  @Test func `PUT creates a session, or returns the existing one`() throws {
    let made = try session.put()
    #expect(made.status == 201)
    #expect(made.text == #"{"value":0}"#)
    #expect(made.cursor?.version == 0)
    try session.post(#""increase""#)
    let taken = try session.put()
    #expect(taken.status == 200)
    #expect(taken.text == #"{"value":1}"#)
    #expect(taken.cursor == made.cursor?.at(1))
  }

  @Test func `POST creates a session with a generated id`() throws {
    let client = session.client
    let first = try client.send("POST", session.siblings)
    let second = try client.send("POST", session.siblings)
    for made in [first, second] {
      #expect(made.status == 201)
      #expect(made.text == #"{"value":0}"#)
      #expect(made.cursor?.version == 0)
      let location = try #require(made["Location"])
      #expect(location.hasPrefix(session.siblings + "/"))
      let read = try client.get(location)
      #expect(read.status == 200)
      #expect(read.cursor == made.cursor)
    }
    #expect(first["Location"] != second["Location"])
  }

  @Test func `POST creates a session with the id of its body`() throws {
    let body = #"{"id":"\#(session.id)"}"#
    let made = try session.client.send("POST", session.siblings, json: body)
    #expect(made.status == 201)
    #expect(made["Location"] == session.path)
  }

  @Test func `POST of an existing id is 409 session-exists`() throws {
    _ = try session.put()
    let body = #"{"id":"\#(session.id)"}"#
    let response = try session.client.send("POST", session.siblings, json: body)
    try expectProblem(response, 409, "session-exists")
  }

  @Test(arguments: [
    (#"{"id":7}"#, "/id"), (#"{"from":"x"}"#, "/from"), (#"{"from":{}}"#, "/from"),
    (#"{"from":{"session":"a","version":"1"}}"#, "/from/version"), ("[]", ""),
  ])
  func `an invalid POST body is 422 invalid-body with a pointer`(
    body: String, pointer: String
  ) throws {
    let response = try session.client.send("POST", session.siblings, json: body)
    let problem = try expectProblem(response, 422, "invalid-body")
    #expect(problem["pointer"]?.string?.hasPrefix(pointer) == true)
  }

  @Test func `reading a session that does not exist creates none`() throws {
    let first = try session.state()
    #expect(first.status == 200)
    #expect(first.text == #"{"value":0}"#)
    #expect(first["Content-Type"] == "application/json")
    let again = try session.client.get(session.path)
    #expect(again.text == first.text)
    #expect(again["ETag"] == first["ETag"])
    let listed = try session.client.get(session.siblings).json["sessions"]?.array ?? []
    #expect(!listed.contains { $0["id"]?.string == session.id })
    let tag = try #require(first["ETag"])
    let acted = try session.post(#""increase""#, ["If-Match": tag])
    #expect(try acted.json == ["value": 1])
  }

  @Test func `DELETE ends a session, which is recreated in another epoch`() throws {
    let response = try session.post(#""increase""#)
    let old = try #require(response.cursor)
    #expect(try session.delete().status == 204)
    try expectProblem(try session.state(), 410, "session-ended")
    try expectProblem(try session.client.get(session.path), 410, "session-ended")
    try expectProblem(try session.post(#""increase""#), 410, "session-ended")
    try expectProblem(try session.log(), 410, "session-ended")
    let made = try session.put()
    #expect(made.status == 201)
    #expect(made.text == #"{"value":0}"#)
    let new = try #require(made.cursor)
    #expect(new.version == 0)
    #expect(new.epoch != old.epoch)
  }

  @Test func `DELETE of an ended or unknown session is 204, too`() throws {
    #expect(try session.delete().status == 204)
    #expect(try session.delete().status == 204)
  }

  @Test func `POST recreates an ended session`() throws {
    _ = try session.put()
    _ = try session.delete()
    let body = #"{"id":"\#(session.id)"}"#
    #expect(try session.client.send("POST", session.siblings, json: body).status == 201)
    #expect(try session.state().status == 200)
  }

  @Test(arguments: [
    "a", "A-Z_0.9~", "...", String(repeating: "x", count: 128), "%61bc", "a.b",
  ])
  func `a session id has 1 to 128 valid characters`(id: String) throws {
    let response = try session.client.get("\(session.siblings)/\(id)/state")
    #expect(response.status == 200)
  }

  @Test(arguments: [
    ".", "..", "%2e", "%2E%2e", "a%20b", "a%2Fb", "%C3%A4", "a+b", "%00", "%zz", "a%",
    String(repeating: "x", count: 129), "",
  ])
  func `an invalid session id is 400 invalid-session-id`(id: String) throws {
    let path = "\(session.siblings)/\(id)/state"
    try expectProblem(try session.client.get(path), 400, "invalid-session-id")
  }

  @Test(arguments: ["", ".", "..", "a b", "ä", String(repeating: "x", count: 129)])
  func `an id in a body follows the same rule`(id: String) throws {
    let body = #"{"id":"\#(id)"}"#
    let response = try session.client.send("POST", session.siblings, json: body)
    try expectProblem(response, 400, "invalid-session-id")
  }

  @Test func `an id may be percent-encoded`() throws {
    try session.post(#""increase""#)
    let escaped = session.path.replacing("test-", with: "%74est%2D")
    let response = try session.client.get(escaped + "/state")
    #expect(response.text == #"{"value":1}"#)
  }

  @Test func `the end of a session ends its effects, and its waiting requests complete`() throws {
    let stopwatch = server.session(of: "stopwatch")
    let stream = try stopwatch.events()
    _ = try stream.nextEvent()
    try stopwatch.client.start(
      "POST", stopwatch.path + "/actions",
      ["Content-Type": "application/json", "Prefer": "wait=60"], body: Array(#""start""#.utf8))
    _ = try stream.events(upTo: 1)
    #expect(try SessionClient(server.client(), stopwatch.path).delete().status == 204)
    try expectProblem(try stopwatch.client.response(to: "POST"), 410, "session-ended")
  }

  @Test func `reactors have separate sessions of the same id`() throws {
    try session.post(#""increase""#)
    let other = SessionClient(session.client, "/v1/reactors/stopwatch/sessions/\(session.id)")
    #expect(try other.state().text == #"{"ticks":0,"isRunning":false}"#)
    #expect(try session.state().text == #"{"value":1}"#)
  }
}
