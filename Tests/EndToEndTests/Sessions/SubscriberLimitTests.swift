import Testing

/// `limits.subscribers`: streams per session.
@Suite(.blocking)
struct SubscriberLimitTests {
  @Test func `a stream above the limit gets a time to retry, and the others continue`() throws {
    let server = try ReactordProcess("--limits-subscribers", "2")
    let session = server.session(of: "counter")
    let first = try session.events()
    let second = try session.events()
    for stream in [first, second] { _ = try stream.nextEvent() }
    let third = try session.events()
    #expect(third.head.status == 200)
    #expect(try third.next()?.retry != nil)
    #expect(try third.next() == nil)
    let name = String(session.path.dropFirst("/v1/reactors/".count))
      .replacing("/sessions/", with: "/")
    let together = try EventStream(port: server.port, "/v1/events?session=\(name)")
    #expect(try together.next()?.retry != nil)
    #expect(try together.next() == nil)
    try session.post(#""increase""#)
    for stream in [first, second] { #expect(try stream.nextEvent()?.data == #"{"value":1}"#) }
    // Another session has a limit of its own.
    #expect(try server.session(of: "counter").events().nextEvent()?.data == #"{"value":0}"#)
  }
}
