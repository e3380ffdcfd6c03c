import Foundation
import Testing

/// The timers of a session over HTTP.
@Suite(.blocking) struct TimerEndpointTests {
  private func arm(
    _ session: SessionClient, from first: Int = 0, delay: Int = 3_600_000
  ) throws -> HTTPResponse {
    try session.post(#"{"arm":{"from":\#(first),"count":2,"delay":\#(delay),"step":1000}}"#)
  }

  @Test func `GET timers lists them as they are due, DELETE removes one`() throws {
    let server = try ReactordProcess(program: "faulty")
    let session = server.session(of: "alarm")
    let client = session.client
    #expect(try client.get(session.path + "/timers").json == ["timers": []])
    #expect(try arm(session, from: 2, delay: 7_200_000).status == 200)
    #expect(try arm(session).status == 200)
    let timers = try #require(try client.get(session.path + "/timers").json["timers"]?.array)
    #expect(timers.map { $0["id"] } == ["0", "1", "2", "3"])
    #expect(
      timers[0].names == ["id", "action", "dueAt", "every", "catchUp", "quarantined", "unreadable"])
    #expect(timers[0]["every"] == .null)
    #expect(timers[0]["quarantined"] == false)
    #expect(timers[0]["action"]?["ring"]?["dueAt"] == timers[0]["dueAt"])
    for _ in 0..<2 { #expect(try client.send("DELETE", session.path + "/timers/2").status == 204) }
    let left = try #require(try client.get(session.path + "/timers").json["timers"]?.array)
    #expect(left.map { $0["id"] } == ["0", "1", "3"])
    let metrics = try client.get("/metrics").text
    #expect(metrics.contains("reactord_timers_pending 3\n"))
    #expect(metrics.contains(#"reactord_timers_fired_total{reactor="alarm"} 0"#))
    #expect(try session.delete().status == 204)
    #expect(try client.get("/metrics").text.contains("reactord_timers_pending 0\n"))
    try expectProblem(client.get(session.path + "/timers"), 410, "session-ended")
  }

  @Test func `GET timers has pages, which Link connects`() throws {
    let server = try ReactordProcess(program: "faulty")
    let session = server.session(of: "alarm")
    let arm = #"{"arm":{"from":0,"count":5,"delay":3600000,"step":0}}"#
    #expect(try session.post(arm).status == 200)
    var address = session.path + "/timers?limit=2"
    var pages: [[JSON?]] = []
    while true {
      let page = try session.client.get(address)
      pages.append(try #require(page.json["timers"]?.array).map { $0["id"] })
      guard let next = page.nextPage else { break }
      address = next
    }
    #expect(pages == [["0", "1"], ["2", "3"], ["4"]])
    for after in ["x", "0", ":0", "a:0", "0:%C3%BC", "0:"] {
      let page = try session.client.get(session.path + "/timers?after=" + after)
      try expectProblem(page, 400, "invalid-parameter")
    }
  }

  @Test func `DELETE of an id that no timer can have is 404`() throws {
    let server = try ReactordProcess(program: "faulty")
    let session = server.session(of: "alarm")
    #expect(try session.client.send("DELETE", session.path + "/timers/unknown").status == 204)
    for id in ["a%20b", "%2E", "%2e%2E", "%C3%BC", "a%2Fb", String(repeating: "x", count: 129)] {
      let answer = try session.client.send("DELETE", session.path + "/timers/" + id)
      try expectProblem(answer, 404, "not-found")
    }
  }

  @Test func `a timer that fires is an event, and leaves the list`() throws {
    let server = try ReactordProcess(program: "faulty")
    let session = server.session(of: "alarm")
    let stream = try EventStream(port: server.port, session.path + "/events")
    #expect(try arm(session, delay: -1000).status == 200)
    var last: JSON?
    while last?["rings"]?.array?.count != 2 { last = try stream.nextEvent()?.json }
    #expect(last?["rings"] == [0, 1])
    #expect(try session.client.get(session.path + "/timers").json == ["timers": []])
    let actions = try session.log().json.array?.compactMap { $0["action"]?["ring"]?["_0"]?.int }
    #expect(actions == [0, 1])
  }

  @Test(arguments: [true, false])
  func `a fork has the timers if it asks for them, at the current version`(isDurable: Bool) throws {
    let folder = try TemporaryFolder()
    let flags = isDurable ? ["--store", "sqlite:\(folder["log.db"])"] : []
    var server = try ReactordProcess(flags, program: "faulty")
    var session = server.session(of: "alarm")
    #expect(try arm(session).status == 200)
    func fork(_ id: String, _ origin: String) throws -> HTTPResponse {
      let body = #"{"id":"\#(id)","from":{"session":"\#(session.id)"\#(origin)}}"#
      return try session.client.send("POST", session.siblings, json: body)
    }
    func timers(_ id: String) throws -> JSON? {
      try session.client.get("\(session.siblings)/\(id)/timers").json["timers"]
    }
    #expect(try fork("plain", "").status == 201)
    #expect(try timers("plain") == [])
    #expect(try fork("copy", #","timers":true"#).status == 201)
    let own = try timers(session.id)
    #expect(own?.array?.count == 2)
    #expect(try timers("copy") == own)
    let rejected = try fork("old", #","timers":true,"version":0"#)
    #expect(try expectProblem(rejected, 422, "invalid-body")["pointer"] == "/from/timers")
    try expectProblem(fork("copy", #","timers":true"#), 409, "session-exists")
    // The copied timers do not depend on the original ones.
    #expect(try session.delete().status == 204)
    guard isDurable else { return }
    server.process.kill()
    try server.process.wait()
    server = try ReactordProcess(flags, program: "faulty")
    session = SessionClient(server.client(), session.path)
    #expect(try timers("copy") == own)
  }

  @Test func `a session has at most 1,000 timers`() throws {
    let server = try ReactordProcess(program: "faulty")
    let session = server.session(of: "alarm")
    #expect(
      try session.post(
        #"{"arm":{"from":0,"count":999,"delay":3600000,"step":1000}}"#
      ).status == 200)
    let answer = try arm(session, from: 999)
    try expectProblem(answer, 422, "effect-failed")
    #expect(try answer.json["title"] == "The timer cannot be scheduled")
    #expect(try arm(session).status == 200)
  }
}
