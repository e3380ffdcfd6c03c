import Testing

/// Several actions in one request.
@Suite(.blocking)
struct ActionArrayTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  @Test func `an array is executed in order and the response has the last state`() throws {
    let response = try session.post(#"["increase",{"add":5},{"decrease":{}}]"#)
    #expect(response.status == 200)
    #expect(response.text == #"{"value":5}"#)
    #expect(response.cursor?.version == 3)
    let actions = try session.log().json.array?.map { $0["action"] }
    #expect(actions == ["increase", ["add": 5], "decrease"])
  }

  @Test func `an empty array is 200 and changes nothing`() throws {
    let before = try session.state()
    let response = try session.post("[]")
    #expect(response.status == 200)
    #expect(response.text == before.text)
    #expect(response["ETag"] == before["ETag"])
  }

  @Test func `one invalid action is 422 and none is executed`() throws {
    let response = try session.post(#"["increase",{"add":"x"},"increase"]"#)
    let problem = try expectProblem(response, 422, "invalid-action")
    #expect(problem["pointer"]?.string?.hasPrefix("/1") == true)
    #expect(try session.state().cursor?.version == 0)
  }

  @Test func `an array in an array is an invalid action`() throws {
    let problem = try expectProblem(try session.post(#"[["increase"]]"#), 422, "invalid-action")
    #expect(problem["pointer"] == "/0")
  }

  @Test func `a failing action affects only itself, and the response is the first failure`() throws
  {
    try session.post(#"{"add":9223372036854775806}"#)
    let response = try session.post(#"["increase","increase",{"add":5},"decrease"]"#)
    let problem = try expectProblem(response, 409, "effect-failed")
    #expect(problem["index"] == 1)
    let state = try session.state()
    #expect(state.text == #"{"value":9223372036854775806}"#)
    #expect(state.cursor?.version == 3)
  }

  @Test func `actions start without waiting for the effects of earlier ones`() throws {
    let profile = server.session(of: "profile")
    let actions = (1...40).map { #"{"follow":\#(90_000 + $0)}"# }.joined(separator: ",")
    // In sequence, the effects would take 40 times 20 ms. The wait is long enough for one of them.
    let response = try profile.post("[\(actions)]")
    #expect(response.status == 200)
    #expect(response.cursor?.version == 40)
  }
}
