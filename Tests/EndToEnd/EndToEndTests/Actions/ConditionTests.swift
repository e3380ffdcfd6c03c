import Testing

/// `If-Match`, and effects that fail.
@Suite(.blocking)
struct ConditionTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  @Test func `If-Match executes the action at its cursor`() throws {
    let tag = try #require(try session.state()["ETag"])
    let response = try session.post(#""increase""#, ["If-Match": tag])
    #expect(response.status == 200)
    #expect(response.text == #"{"value":1}"#)
  }

  @Test func `If-Match of another version is 412 with the current cursor, and nothing is executed`()
    throws
  {
    let old = try #require(try session.state()["ETag"])
    let current = try #require(try session.post(#""increase""#)["ETag"])
    let response = try session.post(#""increase""#, ["If-Match": old])
    try expectProblem(response, 412, "version-mismatch")
    #expect(response["ETag"] == current)
    #expect(try session.state().text == #"{"value":1}"#)
  }

  @Test func `If-Match of another epoch, of the future or of an unknown session is 412`() throws {
    let cursor = try #require(try session.post(#""increase""#).cursor)
    let strangers = [
      Cursor(epoch: "other", version: 1).tag, cursor.at(2).tag, "W/" + cursor.tag, #""x""#,
    ]
    for tag in strangers {
      try expectProblem(
        try session.post(#""increase""#, ["If-Match": tag]), 412, "version-mismatch")
    }
    #expect(try session.post(#""increase""#, ["If-Match": #""x-1", "# + cursor.tag]).status == 200)
    #expect(try session.post(#""increase""#, ["If-Match": "*"]).status == 200)
  }

  @Test func `a malformed If-Match is 400 invalid-parameter`() throws {
    try expectProblem(
      try session.post(#""increase""#, ["If-Match": "k3x9q2-17"]), 400, "invalid-parameter")
    #expect(try session.state().cursor?.version == 0)
  }

  @Test func `of two writers with one cursor only one succeeds`() throws {
    let tag = try #require(try session.state()["ETag"])
    let path = session.path
    let statuses = try concurrently(8) { [server] _ in
      try SessionClient(server.client(), path).post(#""increase""#, ["If-Match": tag]).status
    }
    #expect(statuses.filter { $0 == 200 }.count == 1)
    #expect(statuses.filter { $0 == 412 }.count == 7)
    #expect(try session.state().text == #"{"value":1}"#)
  }

  @Test func `an error of the reactor has its status and title`() throws {
    try session.post(#"{"add":9223372036854775807}"#)
    let problem = try expectProblem(try session.post(#""increase""#), 409, "effect-failed")
    #expect(problem["title"] == "The counter would overflow")
    #expect(problem["index"] == nil)
    // The session continues.
    #expect(try session.post(#""decrease""#).text == #"{"value":9223372036854775806}"#)
  }

  @Test func `an error after a delay is a response, too`() throws {
    let profile = server.session(of: "profile")
    let problem = try expectProblem(try profile.post(#"{"follow":0}"#), 404, "effect-failed")
    #expect(problem["title"] == "No such user")
    #expect(try profile.state().cursor?.version == 0)
    #expect(try profile.post(#"{"follow":1}"#).status == 200)
  }

  @Test func `every session of the host knows a session that another one follows`() throws {
    let one = server.session(of: "profile")
    let two = server.session(of: "profile")
    #expect(try two.post(#"{"refreshFollowingStatus":4711}"#).json["isFollowing"] == false)
    try one.post(#"{"follow":4711}"#)
    #expect(try two.post(#"{"refreshFollowingStatus":4711}"#).json["isFollowing"] == true)
  }
}
