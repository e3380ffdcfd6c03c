import Testing

/// `GET S/state` and `GET S`.
@Suite(.blocking)
struct StateTests {
  let session: SessionClient

  init() throws {
    session = try ReactordProcess.shared.get().session(of: "counter")
  }

  @Test func `the State is the whole body, with its cursor in ETag`() throws {
    let posted = try session.post(#"["increase","increase","increase"]"#)
    for path in [session.path, session.path + "/state"] {
      let response = try session.client.get(path)
      #expect(response.status == 200)
      #expect(response["Content-Type"] == "application/json")
      #expect(response.text == #"{"value":3}"#)
      #expect(response["ETag"] == posted["ETag"])
    }
    let cursor = try #require(posted.cursor)
    #expect(cursor.version == 3)
    #expect(cursor.description.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil)
  }

  @Test(arguments: ["%@", "W/%@", #""other-1", %@"#, "*"])
  func `If-None-Match with the current tag is 304 without a body`(field: String) throws {
    let tag = try #require(try session.state()["ETag"])
    let known = field.split(separator: "%@", omittingEmptySubsequences: false).joined(
      separator: tag)
    let response = try session.state("", ["If-None-Match": known])
    #expect(response.status == 304)
    #expect(response.body.isEmpty)
    #expect(response["ETag"] == tag)
    // The connection is at the first byte of the next response.
    #expect(try session.state().text == #"{"value":0}"#)
  }

  @Test func `If-None-Match with an old tag is 200`() throws {
    let tag = try #require(try session.state()["ETag"])
    try session.post(#""increase""#)
    let response = try session.state("", ["If-None-Match": tag])
    #expect(response.status == 200)
    #expect(response.text == #"{"value":1}"#)
  }

  @Test func `a malformed If-None-Match is 400 invalid-parameter`() throws {
    let response = try session.state("", ["If-None-Match": "k3x9q2-17"])
    try expectProblem(response, 400, "invalid-parameter")
  }

  @Test func `select returns the part at a JSON Pointer`() throws {
    try session.post(#""increase""#)
    let whole = try session.state()
    let part = try session.state("?select=/value")
    #expect(part.text == "1")
    #expect(part["ETag"] == whole["ETag"])
    #expect(try session.state("?select=").text == whole.text)
    #expect(try session.state("?select=%2Fvalue").text == "1")
  }

  @Test(arguments: ["value", "/a~2", "/~", "a/b"])
  func `an invalid pointer is 422 invalid-pointer`(pointer: String) throws {
    try expectProblem(try session.state("?select=" + pointer), 422, "invalid-pointer")
  }

  @Test(arguments: ["/other", "/value/x", "/value/0", "/"])
  func `a pointer to a missing value is 404 not-found`(pointer: String) throws {
    try expectProblem(try session.state("?select=" + pointer), 404, "not-found")
  }

  @Test func `a part that is null exists`() throws {
    let profile = try ReactordProcess.shared.get().session(of: "profile")
    let response = try profile.state("?select=/user")
    #expect(response.status == 200)
    #expect(response.text == "null")
  }

  @Test func `version returns an earlier state`() throws {
    let posted = try session.post(#"["increase",{"add":4},"decrease"]"#)
    let cursor = try #require(posted.cursor)
    for (version, value) in [0, 1, 5, 4].enumerated() {
      let response = try session.state("?version=\(version)")
      #expect(response.status == 200)
      #expect(response.text == #"{"value":\#(value)}"#)
      #expect(response.cursor == cursor.at(version))
    }
    #expect(try session.state("?version=2&select=/value").text == "5")
  }

  @Test func `a future version is 404 unknown-version`() throws {
    try session.post(#""increase""#)
    try expectProblem(try session.state("?version=2"), 404, "unknown-version")
    try expectProblem(try session.state("?version=9223372036854775807"), 404, "unknown-version")
  }

  @Test(arguments: ["-1", "x", "", "1.0", "99999999999999999999", "%31%"])
  func `a version that is not a number is 400 invalid-parameter`(version: String) throws {
    try expectProblem(try session.state("?version=" + version), 400, "invalid-parameter")
  }
}
