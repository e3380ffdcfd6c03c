import Testing

/// `GET /v1/events?session=R/S&session=R2/S2`: several sessions over one stream.
@Suite(.blocking)
struct ManySessionsTests {
  let server: ReactordProcess
  let counter: SessionClient
  let stopwatch: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    counter = server.session(of: "counter")
    stopwatch = server.session(of: "stopwatch")
  }

  private var names: [String] { ["counter/\(counter.id)", "stopwatch/\(stopwatch.id)"] }

  private func open(
    _ names: [String], _ query: String = "", _ headers: [String: String] = [:]
  ) throws -> EventStream {
    try EventStream(
      port: server.port,
      "/v1/events?" + names.map { "session=\($0)" }.joined(separator: "&")
        + (query.isEmpty ? "" : "&" + query), headers)
  }

  /// Reads the first event of each session.
  private func opened(_ query: String = "") throws -> (EventStream, lastID: String) {
    let stream = try open(names, query)
    var id: String?
    for _ in names { id = try stream.nextEvent()?.id }
    return (stream, try #require(id))
  }

  @Test func `a stream of several sessions has the headers of a stream`() throws {
    let head = try open(names).head
    #expect(head.status == 200)
    #expect(head["Content-Type"] == "text/event-stream; charset=utf-8")
    #expect(head["Cache-Control"] == "no-store, no-transform")
    #expect(head["X-Accel-Buffering"] == "no")
  }

  @Test func `a state event names its session and has the State as its data`() throws {
    let stream = try open(names)
    let first = [try stream.nextEvent(), try stream.nextEvent()]
    #expect(Set(first.map { $0?.event }) == Set(names))
    #expect(
      Set(first.map { $0?.data }) == [#"{"value":0}"#, #"{"ticks":0,"isRunning":false}"#])
    try counter.post(#""increase""#)
    let next = try #require(try stream.nextEvent())
    #expect(next.event == names[0])
    #expect(next.data == #"{"value":1}"#)
  }

  @Test func `each session has its own part, and one part is that of all`() throws {
    let all = try open(names, "select=/value")
    #expect([try all.nextEvent()?.data, try all.nextEvent()?.data] == ["0", "null"])
    let each = try open(names + names, "select=&select=/isRunning&delta=patch")
    #expect(try each.nextEvent()?.data == #"{"value":0}"#)
    #expect(try each.nextEvent()?.data == "false")
    let none = try open(names, "select=none&select=/ticks")
    #expect(try none.nextEvent()?.data == "0")
    try counter.post(#""increase""#)
    try stopwatch.post(#""reset""#)
    #expect(try each.nextEvent()?.json["data"]?.array?.first?["value"] == 1)
    try stopwatch.post(#""start""#, ["Prefer": "respond-async"])
    #expect(try each.nextEvent()?.json["data"]?.array?.first?["value"] == true)
    let tick = try #require(try none.nextEvent())
    #expect(tick.event == names[1])
    #expect(tick.data == "1")
    // The id has the cursors of the sessions that were sent.
    try stopwatch.post(#""stop""#)
    let resumed = try open(names, "select=none&select=/isRunning", ["Last-Event-ID": tick.id ?? ""])
    #expect(try resumed.nextEvent()?.data == "false")
    try expectProblem(
      try server.client().get("/v1/events?session=\(names[0])&select=/a&select=/b"), 400,
      "invalid-parameter")
  }

  @Test func `one id resumes all sessions, as header and as parameter`() throws {
    let (stream, id) = try opened()
    #expect(id.utf8.allSatisfy { isUnreserved($0) })
    try counter.post(#"["increase","increase"]"#)
    let missed = try #require(try stream.nextEvent()?.id)
    #expect(try stream.nextEvent()?.data == #"{"value":2}"#)
    for headers in [["Last-Event-ID": missed], [:]] {
      let again = try open(names, headers.isEmpty ? "last_event_id=\(missed)" : "", headers)
      let event = try #require(try again.nextEvent())
      #expect(event.event == names[0])
      #expect(event.data == #"{"value":2}"#)
      try stopwatch.post(#""reset""#)
      #expect(try again.nextEvent()?.event == names[1])
    }
  }

  private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }

  @Test func `a client that resumes with every version misses none and gets none twice`() throws {
    var seen: [String: [Int]] = [:]
    var id: String?
    let other = server.session(of: "counter")
    let names = [names[0], "counter/\(other.id)"]
    for round in 0..<10 {
      for _ in 0..<(3 + round % 3) {
        try counter.post(#""increase""#)
        try other.post(#"["increase","increase"]"#)
      }
      let stream = try open(names, "replay=all", id.map { ["Last-Event-ID": $0] } ?? [:])
      for _ in 0..<7 {
        let event = try #require(try stream.nextEvent())
        let name = try #require(event.event)
        seen[name, default: []].append(try #require(try event.json["value"]?.int))
        id = event.id
      }
      stream.abort()
    }
    for versions in seen.values { #expect(versions == Array(0..<versions.count)) }
    #expect(seen.values.reduce(0) { $0 + $1.count } == 70)
  }

  @Test func `a recreated session and an invalid id reset`() throws {
    _ = try counter.put()
    let (_, id) = try opened()
    _ = try counter.delete()
    _ = try counter.put()
    let stream = try open(names, "", ["Last-Event-ID": id])
    let reset = try #require(try stream.nextEvent())
    #expect(reset.event == "reset")
    #expect(try reset.json == ["session": .string(names[0]), "data": [:]])
    #expect(reset.id == nil)
    #expect(try stream.nextEvent()?.event == names[0])

    let other = try open([names[0]], "", ["Last-Event-ID": "nonsense"])
    #expect(try other.nextEvent()?.event == "reset")
    #expect(try other.nextEvent()?.event == names[0])
  }

  @Test func `patches have their event name and name their session`() throws {
    let (stream, _) = try opened("delta=patch")
    try counter.post(#""increase""#)
    let patch = try #require(try stream.nextEvent())
    #expect(patch.event == "patch")
    #expect(
      try patch.json == [
        "session": .string(names[0]),
        "data": [["op": "replace", "path": "/value", "value": 1]],
      ])
  }

  @Test func `a deleted session gets an event, and the stream closes with the last one`() throws {
    _ = try counter.put()
    _ = try stopwatch.put()
    let (stream, _) = try opened()
    for (name, session) in zip(names, [counter, stopwatch]) {
      _ = try session.delete()
      let end = try #require(try stream.nextEvent())
      #expect(end.event == "end")
      #expect(try end.json == ["session": .string(name), "data": [:]])
    }
    #expect(try stream.next() == nil)
    #expect(try open(names).head.status == 204)
    _ = try counter.put()
    let rest = try open(names)
    #expect(rest.head.status == 200)
    #expect(Set([try rest.nextEvent()?.event, try rest.nextEvent()?.event]) == ["end", names[0]])
  }

  @Test func `a session that is named twice counts once`() throws {
    try counter.post("[]")
    let stream = try open([names[0], names[0]])
    #expect(try stream.nextEvent()?.event == names[0])
    #expect(try eventually { try counter.subscribers() == 1 })
    try counter.post(#"["increase","increase"]"#)
    #expect(try stream.nextEvent()?.data == #"{"value":1}"#)
    #expect(try stream.nextEvent()?.data == #"{"value":2}"#)
  }

  @Test func `an idle stream gets heartbeats, and each session a closing event`() throws {
    let server = try ReactordProcess("--streams-heartbeat", "0.1")
    let stream = try EventStream(
      port: server.port, "/v1/events?session=counter/a&session=counter/b")
    for _ in 0..<2 { _ = try stream.nextEvent() }
    #expect(try stream.next()?.comments.isEmpty == false)
    server.process.signal(15)
    let events = [try stream.nextEvent(), try stream.nextEvent()]
    #expect(events.map { $0?.event } == ["draining", "draining"])
    #expect(
      try events.map { try $0?.json["session"] } == ["counter/a", "counter/b"])
    #expect(try stream.next() == nil)
  }

  @Test(
    arguments: [
      ("", 400, "invalid-parameter"), ("session=counter", 400, "invalid-parameter"),
      ("session=unknown/a", 404, "unknown-reactor"),
      ("session=counter/a%20b", 400, "invalid-session-id"),
      ("session=counter/..", 400, "invalid-session-id"),
      ("session=counter/a&delta=x", 400, "invalid-parameter"),
      ("session=counter/a&select=x", 422, "invalid-pointer"),
    ])
  func `invalid sessions are rejected before the stream begins`(
    query: String, status: Int, type: String
  ) throws {
    try expectProblem(try server.client().get("/v1/events?" + query), status, type)
  }

  @Test func `too many sessions are a problem that names the limit`() throws {
    let names = (0..<101).map { "session=counter/many-\($0)" }.joined(separator: "&")
    let problem = try expectProblem(
      try server.client().get("/v1/events?" + names), 400, "invalid-parameter")
    #expect(problem["detail"]?.string?.contains("100") == true)
  }

  @Test func `a stream of several sessions has the methods of a stream`() throws {
    let path = "/v1/events?session=\(names[0])"
    #expect(try server.client().send("OPTIONS", path)["Allow"] == "GET, HEAD, OPTIONS")
    #expect(try server.client().send("HEAD", path).status == 200)
    try expectProblem(try server.client().send("DELETE", path), 405, "method-not-allowed")
  }
}
