import Glibc
import Testing

/// SIGTERM and SIGINT.
@Suite(.blocking)
struct DrainTests {
  let server: ReactordProcess
  let stopwatch: SessionClient
  let other: HTTPClient

  init() throws {
    server = try ReactordProcess("--shutdown-grace", "120")
    stopwatch = server.session(of: "stopwatch")
    other = server.client()
  }

  /// Sends an action whose response waits for `wait` seconds, and returns when its effect is
  /// running.
  private func startLongRequest(wait: Int) throws {
    let stream = try stopwatch.events()
    _ = try stream.nextEvent()
    try stopwatch.client.start(
      "POST", stopwatch.path + "/actions",
      ["Content-Type": "application/json", "Prefer": "wait=\(wait)"], body: Array(#""start""#.utf8))
    #expect(try stream.nextEvent()?.json["isRunning"] == true)
  }

  private func isDraining() throws -> Bool {
    try eventually { try other.get("/readyz").status == 503 }
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `an idle service exits with 0`(signal: Int32) throws {
    #expect(try other.get("/readyz").status == 200)
    server.process.signal(signal)
    #expect(try server.process.wait() == .code(0))
  }

  @Test func `running requests complete, new ones get 503 with Retry-After`() throws {
    try startLongRequest(wait: 10)
    server.process.signal(SIGTERM)
    #expect(try isDraining())

    let counter = SessionClient(other, "/v1/reactors/counter/sessions/late")
    let rejected = [
      try other.get("/readyz"), try other.get("/v1/reactors"), try counter.state(),
      try counter.post(#""increase""#), try counter.put(), try server.client().get(stopwatch.path),
    ]
    for response in rejected {
      try expectProblem(response, 503, "unavailable")
      #expect(response["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
    }
    // The process is still running.
    #expect(try other.get("/healthz").status == 200)

    let response = try stopwatch.client.response(to: "POST")
    #expect(response.status == 202)
    #expect(try response.json["isRunning"] == true)
    #expect(try server.process.wait() == .code(0))
  }

  @Test func `open streams get a closing event, new ones are rejected`() throws {
    let counter = SessionClient(server.client(), "/v1/reactors/counter/sessions/watched")
    let streams = try ["", "?replay=all", "?select=/value"].map { try counter.events($0) }
    for stream in streams { #expect(try stream.nextEvent()?.id != nil) }
    try startLongRequest(wait: 10)
    server.process.signal(SIGTERM)
    for stream in streams {
      let event = try #require(try stream.nextEvent())
      #expect(event.event == "draining")
      #expect(event.data == "{}")
      #expect(event.id == nil)
      // The body has a regular end: its last chunk arrives before the connection closes.
      #expect(try stream.next() == nil)
    }

    let late = try counter.events()
    #expect(late.head.status == 200)
    #expect(late.head["Content-Type"] == "text/event-stream; charset=utf-8")
    let hint = try #require(try late.next())
    #expect(hint.retry.flatMap { Int($0) } ?? 0 >= 1000)
    #expect(!hint.isDispatched)
    #expect(try late.next() == nil)

    #expect(try stopwatch.client.response(to: "POST").status == 202)
    #expect(try server.process.wait() == .code(0))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a second signal ends it at once with exit code 1`(signal: Int32) throws {
    try startLongRequest(wait: 60)
    server.process.signal(SIGTERM)
    #expect(try isDraining())
    server.process.signal(signal)
    #expect(try server.process.wait() == .code(1))
  }

  @Test func `the service ends within the grace period, whatever runs`() throws {
    let server = try ReactordProcess("--shutdown-grace", "2")
    let session = server.session(of: "stopwatch")
    let stream = try session.events()
    try session.client.start(
      "POST", session.path + "/actions",
      ["Content-Type": "application/json", "Prefer": "wait=60"], body: Array(#""start""#.utf8))
    _ = try stream.events(upTo: 1)
    #expect(try server.stop() == .code(0))
    #expect(try session.client.response(to: "POST").status == 503)
  }

  @Test func `a stream that is not read does not prevent the end`() throws {
    let counter = SessionClient(server.client(), "/v1/reactors/counter/sessions/stuck")
    let stuck = try counter.events("?replay=all", receiveBuffer: 2048)
    let batch = "[" + Array(repeating: #""increase""#, count: 1000).joined(separator: ",") + "]"
    for _ in 0..<5 { try counter.post(batch, ["Prefer": "return=minimal"]) }
    #expect(stuck.head.status == 200)
    #expect(try server.stop() == .code(0))
  }

  @Test func `the listening port is free afterwards`() throws {
    #expect(try server.stop() == .code(0))
    #expect(throws: WireError.self) { try Connection(port: server.port) }
  }
}
