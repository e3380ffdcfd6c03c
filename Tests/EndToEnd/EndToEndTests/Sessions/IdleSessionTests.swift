import Testing

/// An unused session is removed from memory, but not from the log.
@Suite(.blocking)
struct IdleSessionTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess(
      "--sessions-idle", "0.1", "--stopwatch-interval", "0.1", program: "adjustable")
    session = server.session(of: "counter")
  }

  /// Waits until all sessions that were used before have left memory.
  ///
  /// A session without mutations exists only in memory. When it is no longer listed, the sessions
  /// that were used before it have left memory as well.
  private func everythingIdleLeaves() throws -> Bool {
    let witness = server.session(of: "counter")
    try witness.post("[]")
    return try eventually { try witness.subscribers() == nil }
  }

  @Test func `committed state is unchanged after the session left memory`() throws {
    let before = try session.post(#"["increase",{"add":5}]"#)
    for _ in 0..<2 {
      #expect(try everythingIdleLeaves())
      let after = try session.state()
      #expect(after.text == before.text)
      #expect(after["ETag"] == before["ETag"])
    }
    let next = try session.post(#""increase""#, ["If-Match": try #require(before["ETag"])])
    #expect(next.text == #"{"value":7}"#)
    #expect(next.cursor == before.cursor?.at(3))
    #expect(try session.log().json.array?.count == 3)
  }

  @Test func `a session with a subscriber stays`() throws {
    try session.post("[]")
    let stream = try session.events()
    let first = try #require(try stream.nextEvent())
    #expect(try everythingIdleLeaves())
    try session.post(#""increase""#)
    let second = try stream.nextEvent()
    #expect(second?.cursor == first.cursor?.at(1))
  }

  @Test func `a session with a running effect stays`() throws {
    let stopwatch = server.session(of: "stopwatch")
    let start = try stopwatch.post(#""start""#, ["Prefer": "respond-async"])
    let cursor = try #require(start.cursor)
    #expect(try everythingIdleLeaves())
    #expect(try eventually { try stopwatch.log().json.array?.count ?? 0 > 2 })
    #expect(try stopwatch.state().cursor?.epoch == cursor.epoch)
    #expect(try stopwatch.state().json["isRunning"] == true)
  }

  @Test func `an ended session stays ended`() throws {
    try session.post(#""increase""#)
    _ = try session.delete()
    #expect(try everythingIdleLeaves())
    try expectProblem(try session.state(), 410, "session-ended")
  }
}
