import Testing

/// `?activity=true`: the running effects.
@Suite(.blocking)
struct ActivityTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "stopwatch")
  }

  /// Reads up to the next event of a name.
  private func next(_ name: String, in stream: EventStream) throws -> ServerSentEvent? {
    while let event = try stream.nextEvent() {
      if event.event == name { return event }
    }
    return nil
  }

  @Test func `event activity comes at once, and when the number of running effects changes`()
    throws
  {
    let stream = try session.events("?activity=true")
    #expect(try stream.nextEvent()?.data == #"{"ticks":0,"isRunning":false}"#)
    let first = try #require(try stream.nextEvent())
    #expect(first.event == "activity")
    #expect(first.data == #"{"running":0,"progress":null}"#)
    #expect(first.id == nil)
    try session.post(#""start""#, ["Prefer": "respond-async"])
    let running = try #require(try next("activity", in: stream))
    #expect(try running.json == ["running": 1, "progress": nil])
    #expect(running.id == nil)
    try session.post(#""stop""#)
    #expect(try next("activity", in: stream)?.data == #"{"running":0,"progress":null}"#)
  }

  @Test func `without the parameter there are no activity events`() throws {
    let stream = try session.events()
    _ = try stream.nextEvent()
    try session.post(#""start""#, ["Prefer": "respond-async"])
    try session.post(#""stop""#)
    for _ in 0..<2 { #expect(try stream.nextEvent()?.event == nil) }
  }

  @Test func `on a stream of several sessions it names its session`() throws {
    let name = "stopwatch/\(session.id)"
    let stream = try EventStream(
      port: server.port, "/v1/events?session=\(name)&activity=true")
    #expect(try stream.nextEvent()?.event == name)
    #expect(
      try next("activity", in: stream)?.json
        == ["session": .string(name), "data": ["running": 0, "progress": nil]])
  }

  @Test func `another value is an error before the stream begins`() throws {
    #expect(try session.events("?activity=yes").head.status == 400)
  }
}
