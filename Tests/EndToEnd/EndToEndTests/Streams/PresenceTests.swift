import Testing

/// `?presence=true` and `GET …/subscribers`, over sockets.
@Suite(.blocking)
struct PresenceTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess("--streams-heartbeat", "0.2")
    session = server.session(of: "counter")
  }

  private func subscribers() throws -> JSON {
    try session.client.get(session.path + "/subscribers").json
  }

  /// Reads events up to a presence with a count.
  private func presence(of count: Int, in stream: EventStream) throws -> JSON {
    while let event = try stream.nextEvent() {
      if event.event == "presence", try event.json["count"]?.int == count { return try event.json }
    }
    throw WireError.closed(within: "presence")
  }

  @Test func `names, counts and the end of streams are sent to the others`() throws {
    let stream = try session.events("?presence=true&name=Ada")
    #expect(try presence(of: 1, in: stream)["subscribers"] == [["name": "Ada", "streams": 1]])
    let others = try [session.events("?name=Ben"), session.events()]
    let three = try presence(of: 3, in: stream)
    #expect(
      three["subscribers"] == [["name": "Ada", "streams": 1], ["name": "Ben", "streams": 1]])
    #expect(try subscribers() == three)
    others[0].abort()
    #expect(try presence(of: 2, in: stream) == subscribers())
    withExtendedLifetime(others) {}
  }

  @Test func `a subscriber that vanishes is gone`() throws {
    let stream = try session.events("?presence=true")
    let vanishing = try session.events("?name=Ada")
    _ = try presence(of: 2, in: stream)
    try vanishing.vanish()
    #expect(try presence(of: 1, in: stream)["subscribers"] == [])
    withExtendedLifetime(vanishing) {}
  }

  @Test func `500 subscribers that leave at once are few events`() throws {
    let stream = try session.events("?presence=true")
    let crowd = try (0..<500).map { try session.events("?name=n\($0)") }
    let full = try presence(of: 501, in: stream)
    #expect(full["subscribers"]?.array?.count == 100)
    #expect(full["more"] == 400)
    for member in crowd { member.abort() }
    #expect(try presence(of: 1, in: stream) == ["count": 1, "subscribers": [], "more": 0])
  }
}
