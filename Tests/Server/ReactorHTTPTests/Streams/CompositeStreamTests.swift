import ReactorTransport
import ReactorHost
import Testing

@testable import ReactorHTTP

/// `GET /v1/events`: several sessions over one stream.
struct CompositeStreamTests {
  private let service = Service(settings: {
    $0.limits.streamBuffer = 4
    $0.limits.streamSessions = 3
  })

  private func target(_ ids: [String], _ query: String = "") -> String {
    "/v1/events?" + ids.map { "session=number/\($0)" }.joined(separator: "&")
      + (query.isEmpty ? "" : "&\(query)")
  }

  private func add(_ id: String) throws {
    _ = try service.ask("POST", "\(Service.root)/\(id)/actions", body: #"{"add":1}"#)
  }

  private func event(_ id: String, _ value: Int) -> String {
    #"number/\#(id) {"value":\#(value),"label":"none"}"#
  }

  private func notice(_ name: String, _ id: String, _ data: String = "{}") -> String {
    #"\#(name) {"session":"number/\#(id)","data":\#(data)}"#
  }

  @Test func `the state of each session is sent at once, then each version`() throws {
    try add("a")
    let reader = try service.open(target(["a", "b"]))
    #expect(reader.read() == ["retry", event("a", 1), event("b", 0)])
    try add("b")
    try add("a")
    try add("b")
    let rest = reader.read()
    #expect(rest.filter { $0.hasPrefix("number/a") } == [event("a", 2)])
    #expect(rest.filter { $0.hasPrefix("number/b") } == [event("b", 1), event("b", 2)])
  }

  @Test func `the States that a client has not read count as retained`() throws {
    let reader = try service.open(target(["a", "b", "c"]))
    let size = event("a", 0).utf8.count - "number/a ".utf8.count
    #expect(reader.retainedBytes > 3 * size)
    _ = reader.next()
    #expect(reader.retainedBytes > 2 * size && reader.retainedBytes < 3 * (size + 80))
    _ = reader.read()
    #expect(reader.retainedBytes == 0)
  }

  @Test func `one id resumes all sessions`() throws {
    let reader = try service.open(target(["a", "b"]))
    _ = reader.read()
    try add("a")
    _ = reader.read()
    let id = try #require(reader.lastID)
    let current = try service.open(target(["a", "b"], "last_event_id=\(id)"))
    #expect(current.read() == ["retry", ": current", ": current"])
    try add("b")
    #expect(current.read() == [event("b", 1)])
    // The id also resumes a stream with another order of the sessions and an additional one.
    let other = try service.open(target(["c", "b", "a"]), [(.lastEventID, id)])
    #expect(other.read() == ["retry", event("c", 0), event("b", 1), ": current"])
    // The id of the next event has the cursors of the other sessions.
    #expect(other.lastID?.split(separator: "~").count == 3)
  }

  @Test func `an id holds only cursors of sent events`() throws {
    let reader = try service.open(target(["a", "b"]))
    _ = reader.next()
    let id = try #require(reader.lastID)
    #expect(!id.contains("~"))
    let resumed = try service.open(target(["a", "b"], "last_event_id=\(id)"))
    #expect(resumed.read() == ["retry", ": current", event("b", 0)])
  }

  @Test func `a malformed id and that of an older session reset`() throws {
    let reader = try service.open(target(["a", "b"]))
    _ = reader.read()
    let id = try #require(reader.lastID)
    #expect(
      try service.open(target(["a", "b"], "last_event_id=x")).read() == [
        "retry", notice("reset", "a"), event("a", 0), notice("reset", "b"), event("b", 0),
      ])
    _ = try service.ask("PUT", "\(Service.root)/a")
    _ = try service.ask("DELETE", "\(Service.root)/a")
    _ = try service.ask("PUT", "\(Service.root)/a")
    #expect(
      try service.open(target(["a", "b"], "last_event_id=\(id)")).read() == [
        "retry", notice("reset", "a"), event("a", 0), ": current",
      ])
  }

  @Test func `patches are wrapped and states are not`() throws {
    let reader = try service.open(target(["a"], "delta=patch"))
    #expect(reader.read() == ["retry", event("a", 0)])
    try add("a")
    #expect(
      reader.read() == [
        notice("patch", "a", #"[{"op":"replace","path":"/value","value":1}]"#)
      ])
  }

  @Test func `select and replay apply to all sessions of a stream`() throws {
    try add("a")
    try add("b")
    let reader = try service.open(target(["a", "b"], "select=/value&replay=all"))
    #expect(
      Set(reader.read())
        == ["retry", "number/a 0", "number/b 0", "number/a 1", "number/b 1"])
  }

  @Test func `a deleted session ends, and the others continue until the last one`() throws {
    let reader = try service.open(target(["a", "b"]))
    _ = reader.read()
    _ = try service.ask("DELETE", "\(Service.root)/a")
    #expect(reader.read() == [notice("end", "a")])
    #expect(!reader.isFinished)
    try add("b")
    #expect(reader.read() == [event("b", 1)])
    _ = try service.ask("DELETE", "\(Service.root)/b")
    #expect(reader.read() == [notice("end", "b")])
    #expect(reader.isFinished)
  }

  @Test func `an ended session is reported beside others, and alone is 204`()
    throws
  {
    for id in ["a", "b"] { _ = try service.ask("PUT", "\(Service.root)/\(id)") }
    _ = try service.ask("DELETE", "\(Service.root)/a")
    let reader = try service.open(target(["a", "b"]))
    #expect(reader.read() == ["retry", notice("end", "a"), event("b", 0)])
    _ = try service.ask("DELETE", "\(Service.root)/b")
    #expect(try service.ask("GET", target(["a", "b"])).status == 204)
  }

  @Test func `a repeated session counts once`() throws {
    let reader = try service.open(target(["a", "a", "b", "c", "c", "a"]))
    #expect(reader.read() == ["retry", event("a", 0), event("b", 0), event("c", 0)])
    #expect(service.api.channels.streamCount == 3)
    reader.close()
    #expect(service.api.channels.streamCount == 0)
  }

  @Test func `a session that changes all the time does not starve the others`() throws {
    let reader = try service.open(target(["a", "b"]))
    _ = reader.read()
    for _ in 0..<4 { try add("a") }
    try add("b")
    let first = Self.names(reader, 2)
    #expect(first == ["number/a", "number/b"])
  }

  @Test func `a session with many signals does not starve the others`() throws {
    let reader = try service.open(target(["a", "b"], "signals=true"))
    _ = reader.read()
    for _ in 0..<4 {
      _ = try service.ask("POST", "\(Service.root)/a/signals", body: #"{"name":"ping"}"#)
    }
    try add("b")
    let first = Self.names(reader, 2)
    #expect(first == ["signal", "number/b"])
  }

  private static func names(_ reader: Reader, _ count: Int) -> Set<String> {
    Set((0..<count).compactMap { _ in reader.nextEvent()?.name })
  }

  @Test(
    arguments: [
      ("/v1/events", "400 invalid-parameter"), ("/v1/events?session=", "400 invalid-parameter"),
      ("/v1/events?session=number", "400 invalid-parameter"),
      ("/v1/events?session=other/a", "404 unknown-reactor"),
      ("/v1/events?session=number/", "400 invalid-session-id"),
      ("/v1/events?session=number/a/b", "400 invalid-session-id"),
      ("/v1/events?session=number/a&session=number/b%20c", "400 invalid-session-id"),
      (
        "/v1/events?session=number/a&session=number/b&session=number/c&session=number/d",
        "400 invalid-parameter"
      ),
      ("/v1/events?session=number/a&delta=x", "400 invalid-parameter"),
      ("/v1/events?session=number/a&select=x", "422 invalid-pointer"),
    ])
  func `an invalid request is a problem before the stream begins`(
    target: String, problem: String
  ) throws {
    #expect(try service.ask("GET", target).problem == problem)
    #expect(service.api.channels.streamCount == 0)
  }

  @Test func `draining is sent for each session`() throws {
    let reader = try service.open(target(["a", "b"]))
    _ = reader.read()
    service.api.drain()
    #expect(reader.read() == [notice("draining", "a"), notice("draining", "b")])
    #expect(reader.isFinished)
    #expect(try service.open(target(["a"])).read() == ["retry"])
  }

  @Test func `a stream of several sessions has the methods of a stream`() throws {
    #expect(try service.ask("OPTIONS", target(["a"]))[field: "Allow"] == "GET, HEAD, OPTIONS")
    let head = try service.ask("HEAD", target(["a"]))
    #expect(head[field: "Content-Type"] == "text/event-stream; charset=utf-8")
    guard case .empty = head.body else {
      Issue.record("HEAD opened a stream.")
      return
    }
  }
}
