import Testing

/// `GET S/events`: the events of a stream, their order, and its end.
@Suite(.blocking)
struct StreamTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  @Test func `a stream has the headers that proxies and browsers need`() throws {
    let head = try session.events().head
    #expect(head.status == 200)
    #expect(head["Content-Type"] == "text/event-stream; charset=utf-8")
    #expect(head["Cache-Control"] == "no-store, no-transform")
    #expect(head["X-Accel-Buffering"] == "no")
    #expect(head["X-Content-Type-Options"] == "nosniff")
    #expect(head["Content-Encoding"] == nil)
    #expect(head["Content-Length"] == nil)
  }

  @Test func `a stream is not compressed`() throws {
    let stream = try session.events("", ["Accept-Encoding": "gzip, br"])
    #expect(stream.head["Content-Encoding"] == nil)
    #expect(try stream.nextEvent()?.data == #"{"value":0}"#)
  }

  @Test func `retry, of one to two seconds, and the current State come first`() throws {
    let posted = try session.post(#"["increase","increase","increase"]"#)
    let stream = try session.events()
    var first = try #require(try stream.next())
    let retry = try #require(first.retry.flatMap { Int($0) })
    #expect((1000...2000).contains(retry))
    if !first.isDispatched { first = try #require(try stream.next()) }
    #expect(first.event == nil)
    #expect(first.id == posted.cursor?.description)
    #expect(first.data == #"{"value":3}"#)
  }

  @Test func `retry is jittered`() throws {
    let hints = try (0..<8).map { _ in try session.events().next()?.retry }
    #expect(Set(hints).count > 1)
  }

  @Test func `each version is an event, in order`() throws {
    let stream = try session.events()
    let first = try #require(try stream.nextEvent()?.cursor)
    for _ in 0..<20 { try session.post(#""increase""#) }
    try session.post("[" + Array(repeating: #""increase""#, count: 20).joined(separator: ",") + "]")
    let events = try stream.events(upTo: 40)
    #expect(events.map(\.cursor) == (1...40).map { first.at($0) })
    #expect(events.map(\.data) == (1...40).map { #"{"value":\#($0)}"# })
    #expect(events.allSatisfy { $0.event == nil })
  }

  @Test func `the state that an event shows can be read`() throws {
    let stream = try session.events()
    _ = try stream.nextEvent()
    let path = session.path
    let posting = SessionClient(server.client(), path)
    for _ in 0..<20 {
      try posting.client.start(
        "POST", path + "/actions", ["Content-Type": "application/json"],
        body: Array(#""increase""#.utf8))
      let event = try #require(try stream.nextEvent())
      let state = try session.state()
      #expect(state.text == event.data)
      _ = try posting.client.response(to: "POST")
    }
  }

  @Test func `the mutations of an effect come one by one`() throws {
    let server = try ReactordProcess("--stopwatch-interval", "0.05", program: "adjustable")
    let stopwatch = server.session(of: "stopwatch")
    let stream = try stopwatch.events()
    #expect(try stream.nextEvent()?.data == #"{"ticks":0,"isRunning":false}"#)
    try stopwatch.post(#""start""#, ["Prefer": "respond-async"])
    let events = try stream.events(upTo: 4)
    #expect(events.map(\.cursor?.version) == [1, 2, 3, 4])
    #expect(try events.map { try $0.json["ticks"] } == [0, 1, 2, 3])
  }

  @Test func `a deleted session ends its streams with an event`() throws {
    let streams = try (0..<3).map { _ in try session.events() }
    for stream in streams { _ = try stream.nextEvent() }
    #expect(try session.delete().status == 204)
    for stream in streams {
      let end = try #require(try stream.nextEvent())
      #expect(end.event == "end")
      #expect(end.data == "{}")
      #expect(end.id == nil)
      #expect(try stream.next() == nil)
    }
  }

  @Test func `a subscription to an ended session is 204`() throws {
    _ = try session.put()
    _ = try session.delete()
    #expect(try session.events().head.status == 204)
    #expect(try session.events("?last_event_id=x-1").head.status == 204)
    _ = try session.put()
    #expect(try session.events().nextEvent()?.data == #"{"value":0}"#)
  }

  @Test func `a comment keeps an idle stream alive`() throws {
    let server = try ReactordProcess("--streams-heartbeat", "0.1")
    let stream = try server.session(of: "counter").events()
    _ = try stream.nextEvent()
    for _ in 0..<3 {
      let beat = try #require(try stream.next())
      #expect(!beat.isDispatched)
      #expect(!beat.comments.isEmpty)
      #expect(beat.id == nil)
    }
  }

  @Test func `a stream over HTTP/1.0 ends with its connection`() throws {
    let connection = try Connection(port: server.port)
    try connection.send("GET \(session.path)/events HTTP/1.0\r\nHost: localhost\r\n\r\n")
    let reader = ResponseReader(connection: connection)
    let head = try reader.head(until: .now + Connection.timeout)
    #expect(head.status == 200)
    #expect(head["Transfer-Encoding"] == nil)
    var text = ""
    while !text.contains(#"data: {"value":0}"#),
      let bytes = try connection.someBytes(until: .now + Connection.timeout, "an event")
    {
      text += String(decoding: bytes, as: UTF8.self)
    }
    #expect(text.hasPrefix("retry: "))
    _ = try session.delete()
    while let bytes = try connection.someBytes(until: .now + Connection.timeout, "the end") {
      text += String(decoding: bytes, as: UTF8.self)
    }
    #expect(text.hasSuffix("event: end\ndata: {}\n\n"))
  }

  @Test(arguments: ["replay=some", "replay="])
  func `an invalid parameter is an error, which no browser would send`(query: String) throws {
    #expect(try session.events("?" + query).head.status == 400)
  }
}
