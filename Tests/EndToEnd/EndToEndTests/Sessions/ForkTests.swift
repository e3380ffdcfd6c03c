import Testing

/// POST with `from`: a new session with the history of another one, up to a version.
@Suite(.blocking)
struct ForkTests {
  let server: ReactordProcess
  let source: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    source = server.session(of: "counter")
  }

  private func fork(_ origin: String) throws -> HTTPResponse {
    try source.client.send("POST", source.siblings, json: #"{"from":\#(origin)}"#)
  }

  @Test func `a fork has the history up to its version, in a new epoch`() throws {
    let response = try source.post(#"["increase",{"add":5},"increase"]"#)
    let old = try #require(response.cursor)
    let made = try fork(#"{"session":"\#(source.id)","version":2}"#)
    #expect(made.status == 201)
    #expect(made.text == #"{"value":6}"#)
    let cursor = try #require(made.cursor)
    #expect(cursor.version == 2)
    #expect(cursor.epoch != old.epoch)

    let location = try #require(made["Location"])
    let copy = SessionClient(source.client, location)
    let mutations = try copy.log().json.array?.map { $0["mutation"] }
    #expect(mutations == [["change": ["by": 1]], ["change": ["by": 5]]])
    #expect(try copy.state("?version=1").text == #"{"value":1}"#)
  }

  @Test func `a fork and its source are independent`() throws {
    try source.post(#"["increase","increase"]"#)
    let made = try fork(#"{"session":"\#(source.id)","version":1}"#)
    let copy = SessionClient(source.client, try #require(made["Location"]))
    #expect(try copy.post(#"{"add":10}"#).text == #"{"value":11}"#)
    #expect(try source.state().text == #"{"value":2}"#)
    #expect(try source.post(#""decrease""#).text == #"{"value":1}"#)
    #expect(try copy.state().text == #"{"value":11}"#)
  }

  @Test func `a fork without a version starts at the newest, one at 0 at the beginning`() throws {
    try source.post(#"["increase","increase"]"#)
    let newest = try fork(#"{"session":"\#(source.id)"}"#)
    #expect(newest.text == #"{"value":2}"#)
    #expect(newest.cursor?.version == 2)
    let first = try fork(#"{"session":"\#(source.id)","version":0}"#)
    #expect(first.status == 201)
    #expect(first.text == #"{"value":0}"#)
    #expect(first.cursor?.version == 0)
  }

  @Test func `a fork has the id of the body`() throws {
    try source.post(#""increase""#)
    let id = source.id + "-copy"
    let body = #"{"id":"\#(id)","from":{"session":"\#(source.id)","version":1}}"#
    let made = try source.client.send("POST", source.siblings, json: body)
    #expect(made.status == 201)
    #expect(made["Location"] == "\(source.siblings)/\(id)")
    let again = try source.client.send("POST", source.siblings, json: body)
    try expectProblem(again, 409, "session-exists")
  }

  @Test func `a fork at a future version is 404 unknown-version`() throws {
    try source.post(#""increase""#)
    let response = try fork(#"{"session":"\#(source.id)","version":2}"#)
    try expectProblem(response, 404, "unknown-version")
  }

  @Test func `a fork of an unknown session is 404 unknown-session, of an ended one 410`() throws {
    try expectProblem(
      try fork(#"{"session":"\#(source.id)","version":0}"#), 404, "unknown-session")
    _ = try source.put()
    _ = try source.delete()
    try expectProblem(
      try fork(#"{"session":"\#(source.id)","version":0}"#), 410, "session-ended")
  }
}
