import Testing

/// The forms of actions, and invalid ones.
@Suite(.blocking)
struct ActionShapeTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  @Test(arguments: [
    (#""increase""#, 1), (#"{"increase":{}}"#, 1), (#"{"add":7}"#, 7), (#"{"add":{"_0":7}}"#, 7),
    (" \n{ \"add\" :\t7 }\r\n", 7), (#"{"add":-7}"#, -7), (#""\u0069ncrease""#, 1),
    (#"{"add":9223372036854775807}"#, Int.max), (#"{"add":7.0}"#, 7), (#"{"add":70e-1}"#, 7),
  ])
  func `a case is accepted in each of its forms`(action: String, value: Int) throws {
    let response = try session.post(action)
    #expect(response.status == 200)
    #expect(response.text == #"{"value":\#(value)}"#)
    #expect(response.cursor?.version == 1)
    #expect(response["Content-Type"] == "application/json")
  }

  @Test(arguments: [
    "application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8",
    #"application/json; charset="utf-8""#, "APPLICATION/JSON",
  ])
  func `a body is JSON in UTF-8`(type: String) throws {
    #expect(try session.post(#""increase""#, ["Content-Type": type]).status == 200)
  }

  @Test(arguments: [
    ("jump", #""jump""#, ""), ("jump with a payload", #"{"jump":1}"#, ""),
    ("a payload where there is none", #"{"increase":1}"#, "/increase"),
    ("no payload", #""add""#, ""), ("text for a number", #"{"add":"7"}"#, "/add"),
    ("a part of a number", #"{"add":1.5}"#, "/add"), ("null", "null", ""), ("a number", "7", ""),
    ("nothing at all", "{}", ""), ("two cases", #"{"increase":{},"decrease":{}}"#, ""),
    ("too large", #"{"add":9223372036854775808}"#, "/add"), ("true", "true", ""),
    ("a null payload", #"{"add":null}"#, "/add"),
  ])
  func `JSON that matches no action is 422 invalid-action with pointer and expected`(
    name: String, action: String, pointer: String
  ) throws {
    let problem = try expectProblem(try session.post(action), 422, "invalid-action")
    let place = try #require(problem["pointer"]?.string, "\(name)")
    #expect(place.hasPrefix(pointer), "\(name)")
    #expect(problem["expected"]?.array?.isEmpty == false, "\(name)")
    #expect(try session.state().cursor?.version == 0)
  }

  @Test func `the problem of an unknown case lists the cases`() throws {
    let problem = try expectProblem(try session.post(#""jump""#), 422, "invalid-action")
    #expect(problem["expected"] == ["increase", "decrease", "add"])
  }

  @Test(arguments: [
    ("{", 1), (#"{"add":}"#, 7), ("", 0), (#""increase"#, 9), ("[1,]", 3), ("nul", 3),
    (#""increase" x"#, 11), (#"{"add":01}"#, 8), ("\u{FEFF}1", 0), ("'increase'", 0),
    (#"{"add":7"#, 8), ("   ", 3),
  ])
  func `invalid JSON is 400 malformed-json with the offset of the error`(
    body: String, offset: Int
  ) throws {
    let problem = try expectProblem(try session.post(body), 400, "malformed-json")
    #expect(problem["offset"]?.int == offset)
    #expect(try session.state().cursor?.version == 0)
  }

  @Test func `a byte that is not UTF-8 is malformed JSON`() throws {
    let response = try session.client.send(
      "POST", session.path + "/actions", ["Content-Type": "application/json"],
      body: [0x22, 0xFF, 0x22])
    let problem = try expectProblem(response, 400, "malformed-json")
    #expect(problem["offset"] == 1)
  }

  @Test func `unlimited nesting is malformed JSON`() throws {
    let deep = String(repeating: "[", count: 500_000)
    let response = try session.post(deep)
    try expectProblem(response, 400, "malformed-json")
    let object = String(repeating: #"{"add":"#, count: 50_000)
    #expect([400, 422].contains(try session.post(object).status))
    #expect(try session.state().status == 200)
  }

  @Test(arguments: ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
  func `another media type is 415 unsupported-media-type`(type: String) throws {
    let response = try session.post(#""increase""#, ["Content-Type": type])
    try expectProblem(response, 415, "unsupported-media-type")
    #expect(response["Accept"]?.contains("application/json") == true)
    #expect(try session.state().cursor?.version == 0)
  }

  @Test func `a body without a type is 415`() throws {
    let response = try session.client.send(
      "POST", session.path + "/actions", body: Array(#""increase""#.utf8))
    try expectProblem(response, 415, "unsupported-media-type")
  }

  @Test func `a JSON type with another charset is 415`() throws {
    let response = try session.post(
      #""increase""#, ["Content-Type": "application/json; charset=latin1"])
    try expectProblem(response, 415, "unsupported-media-type")
  }
}
