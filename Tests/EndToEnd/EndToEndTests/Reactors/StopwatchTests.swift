import Testing

/// The stopwatch: a reactor with a continuous effect.
@Suite(.blocking)
struct StopwatchTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess("--stopwatch-interval", "0.02", program: "adjustable")
    session = server.session(of: "stopwatch")
  }

  private func start(_ session: SessionClient) throws {
    #expect(try session.post(#""start""#, ["Prefer": "respond-async"]).status == 202)
  }

  /// Waits while another stopwatch ticks several times.
  private func letTimePass() throws {
    let other = server.session(of: "stopwatch")
    let stream = try other.events()
    try start(other)
    _ = try stream.events(upTo: 6)
  }

  @Test func `the stopwatch ticks from start to stop, and not afterwards`() throws {
    let stream = try session.events()
    try start(session)
    _ = try stream.events(upTo: 4)
    let stopped = try session.post(#""stop""#)
    #expect(stopped.status == 200)
    #expect(try stopped.json["isRunning"] == false)
    #expect(try stopped.json["ticks"]?.int ?? 0 >= 3)
    try letTimePass()
    #expect(try session.state()["ETag"] == stopped["ETag"])
  }

  @Test func `a second start changes nothing`() throws {
    let stream = try session.events()
    try start(session)
    _ = try stream.events(upTo: 1)
    #expect(try session.post(#""start""#).status == 200)
    _ = try stream.events(upTo: 5)
    try session.post(#""stop""#)
    let starts = try session.log().json.array?.filter { $0["mutation"] == ["setRunning": true] }
    #expect(starts?.count == 1)
    // The single stop has ended the stopwatch.
    let stopped = try session.state()
    try letTimePass()
    #expect(try session.state()["ETag"] == stopped["ETag"])
  }

  @Test func `reset does not stop a running stopwatch`() throws {
    #expect(try session.post(#""reset""#).text == #"{"ticks":0,"isRunning":false}"#)
    try start(session)
    #expect(try eventually { try session.state().json["ticks"]?.int ?? 0 > 2 })
    #expect(try session.post(#""reset""#).json["isRunning"] == true)
    #expect(try eventually { try session.state().json["ticks"]?.int ?? 0 > 2 })
  }

  @Test func `the stopwatch can be started again`() throws {
    for _ in 0..<3 {
      try start(session)
      #expect(try eventually { try session.state().json["isRunning"] == true })
      #expect(try session.post(#""stop""#).json["isRunning"] == false)
    }
  }

  @Test func `a stop without a start is 200 and changes nothing`() throws {
    let response = try session.post(#""stop""#)
    #expect(response.status == 200)
    #expect(response.cursor?.version == 0)
  }
}
