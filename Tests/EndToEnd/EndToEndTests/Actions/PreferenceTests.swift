import Testing

/// `Prefer`: the time and the form of a response.
@Suite(.blocking)
struct PreferenceTests {
  let server: ReactordProcess
  let counter: SessionClient
  let stopwatch: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    counter = server.session(of: "counter")
    stopwatch = server.session(of: "stopwatch")
  }

  @Test func `the response comes when the effect has ended`() throws {
    let profile = server.session(of: "profile")
    let response = try profile.post(#"{"follow":7}"#)
    #expect(response.status == 200)
    #expect(response.text == #"{"isFollowing":true,"user":null}"#)
    #expect(response.cursor?.version == 1)
  }

  @Test func `respond-async responds with 202 at once`() throws {
    let response = try stopwatch.post(#""start""#, ["Prefer": "respond-async"])
    #expect(response.status == 202)
    #expect(response["Preference-Applied"]?.contains("respond-async") == true)
    #expect(try eventually { try stopwatch.state().json["isRunning"] == true })
  }

  @Test func `respond-async with return=minimal is 202 without a body`() throws {
    let response = try stopwatch.post(#""start""#, ["Prefer": "respond-async, return=minimal"])
    #expect(response.status == 202)
    #expect(response.body.isEmpty)
    let applied = try #require(response["Preference-Applied"])
    #expect(applied.contains("respond-async"))
    #expect(applied.contains("return=minimal"))
  }

  @Test func `an effect that fails after its 202 leaves the state unchanged`() throws {
    let profile = server.session(of: "profile")
    let response = try profile.post(#"{"follow":0}"#, ["Prefer": "respond-async"])
    #expect(response.status == 202)
    #expect(try profile.post(#"{"follow":3}"#).cursor?.version == 1)
  }

  @Test func `an invalid request is rejected whatever it prefers`() throws {
    for preference in ["respond-async", "wait=0", "return=minimal"] {
      try expectProblem(
        try counter.post(#""jump""#, ["Prefer": preference]), 422, "invalid-action")
    }
  }

  @Test func `return=minimal responds with 204, the cursor and no body`() throws {
    let response = try counter.post(#""increase""#, ["Prefer": "return=minimal"])
    #expect(response.status == 204)
    #expect(response.body.isEmpty)
    #expect(response.cursor?.version == 1)
    #expect(response["Preference-Applied"] == "return=minimal")
    #expect(try counter.state().text == #"{"value":1}"#)
  }

  @Test func `wait responds with 202 if the effect still runs`() throws {
    let response = try stopwatch.post(#""start""#, ["Prefer": "wait=1"])
    #expect(response.status == 202)
    #expect(response["Preference-Applied"] == "wait=1")
    #expect(try response.json["isRunning"] != nil)
    #expect(response["ETag"] != nil)
    #expect(try eventually { try stopwatch.state().json["isRunning"] == true })
  }

  @Test func `wait responds with 200 as soon as the effect has ended`() throws {
    let response = try counter.post(#""increase""#, ["Prefer": "wait=60"])
    #expect(response.status == 200)
    #expect(response["Preference-Applied"] == "wait=60")
  }

  @Test func `wait=0 does not wait for an effect`() throws {
    let response = try stopwatch.post(#""start""#, ["Prefer": "wait=0"])
    #expect(response.status == 202)
  }

  @Test func `without a preference actions.wait applies`() throws {
    let impatient = try ReactordProcess("--actions-wait", "0.2")
    let response = try impatient.session(of: "stopwatch").post(#""start""#)
    #expect(response.status == 202)
    #expect(response["Preference-Applied"] == nil)
  }

  @Test(arguments: ["foo", "wait=x", "wait=", "handling=lenient", "return=representation", ", ,"])
  func `unknown preferences are ignored`(preference: String) throws {
    let response = try counter.post(#""increase""#, ["Prefer": preference])
    #expect(response.status == 200)
    #expect(response.text == #"{"value":1}"#)
  }

  @Test func `a stop ends the effect of a start, whose request then completes`() throws {
    try stopwatch.client.start(
      "POST", stopwatch.path + "/actions",
      ["Content-Type": "application/json", "Prefer": "wait=60"], body: Array(#""start""#.utf8))
    let other = SessionClient(server.client(), stopwatch.path)
    #expect(try eventually { try other.state().json["isRunning"] == true })
    #expect(try other.post(#""stop""#).status == 200)
    let response = try stopwatch.client.response(to: "POST")
    #expect(response.status == 200)
    #expect(try stopwatch.state().json["isRunning"] == false)
  }
}
