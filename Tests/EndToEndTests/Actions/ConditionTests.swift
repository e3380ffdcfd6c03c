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

  @Test func `If-Match runs the action at its cursor`() throws {
    let tag = try #require(try session.state()["ETag"])
    let answer = try session.post(#""increase""#, ["If-Match": tag])
    #expect(answer.status == 200)
    #expect(answer.text == #"{"value":1}"#)
  }

  @Test func `If-Match at another version is 412 with the real cursor, and nothing happens`() throws
  {
    let old = try #require(try session.state()["ETag"])
    let current = try #require(try session.post(#""increase""#)["ETag"])
    let answer = try session.post(#""increase""#, ["If-Match": old])
    try expectProblem(answer, 412, "version-mismatch")
    #expect(answer["ETag"] == current)
    #expect(try session.state().text == #"{"value":1}"#)
  }

  @Test func `If-Match of another epoch, of the future or of nothing is 412`() throws {
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

  @Test func `of two writers with one cursor only one wins`() throws {
    let tag = try #require(try session.state()["ETag"])
    let path = session.path
    let statuses = try concurrently(8) { [server] _ in
      try SessionClient(server.client(), path).post(#""increase""#, ["If-Match": tag]).status
    }
    #expect(statuses.filter { $0 == 200 }.count == 1)
    #expect(statuses.filter { $0 == 412 }.count == 7)
    #expect(try session.state().text == #"{"value":1}"#)
  }

  @Test func `an error of the reactor answers with its status and its title`() throws {
    try session.post(#"{"add":9223372036854775807}"#)
    let problem = try expectProblem(try session.post(#""increase""#), 409, "effect-failed")
    #expect(problem["title"] == "The counter would overflow")
    #expect(problem["index"] == nil)
    // The session goes on.
    #expect(try session.post(#""decrease""#).text == #"{"value":9223372036854775806}"#)
  }

  @Test func `an error after a while is an answer too`() throws {
    let profile = server.session(of: "profile")
    let problem = try expectProblem(try profile.post(#"{"follow":0}"#), 404, "effect-failed")
    #expect(problem["title"] == "No such user")
    #expect(try profile.state().cursor?.version == 0)
    #expect(try profile.post(#"{"follow":1}"#).status == 200)
  }

  @Test func `what one session follows, every session of the host knows`() throws {
    let one = server.session(of: "profile")
    let two = server.session(of: "profile")
    #expect(try two.post(#"{"refreshFollowingStatus":4711}"#).json["isFollowing"] == false)
    try one.post(#"{"follow":4711}"#)
    #expect(try two.post(#"{"refreshFollowingStatus":4711}"#).json["isFollowing"] == true)
  }
}
