import Foundation
import Glibc
import Testing

/// SIGTERM and SIGINT.
@Suite(.blocking)
struct DrainTests {
  let folder: TemporaryFolder
  let server: ReactordProcess
  let session: SessionClient
  let other: HTTPClient

  init() throws {
    folder = try TemporaryFolder()
    server = try ReactordProcess(program: "faulty")
    session = server.session(of: "faulty")
    other = server.client()
  }

  /// Sends an action whose effect runs until ``endLongRequest()``, and returns when it is running.
  private func startLongRequest() throws {
    try session.client.start(
      "POST", session.path + "/actions", ["Content-Type": "application/json"],
      body: Array(#"{"waitForFile":"\#(folder["end"])"}"#.utf8))
    try #require(eventually { try SessionClient(other, session.path).effects().count == 1 })
  }

  private func endLongRequest() throws {
    try "".write(toFile: folder["end"], atomically: true, encoding: .utf8)
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
    try startLongRequest()
    server.process.signal(SIGTERM)
    #expect(try isDraining())

    let counter = SessionClient(other, "/v1/reactors/counter/sessions/late")
    let rejected = [
      try other.get("/readyz"), try other.get("/v1/reactors"), try counter.state(),
      try counter.post(#"{"add":1}"#), try counter.put(), try server.client().get(session.path),
    ]
    for response in rejected {
      try expectProblem(response, 503, "unavailable")
      #expect(response["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
    }
    // The process is still running.
    #expect(try other.get("/healthz").status == 200)

    try endLongRequest()
    let response = try session.client.response(to: "POST")
    #expect(response.status == 200)
    #expect(try response.json["value"] == 0)
    #expect(try server.process.wait() == .code(0))
  }

  @Test func `open streams get a closing event, new ones are rejected`() throws {
    let counter = SessionClient(server.client(), "/v1/reactors/counter/sessions/watched")
    let streams = try ["", "?replay=all", "?select=/value"].map { try counter.events($0) }
    for stream in streams { #expect(try stream.nextEvent()?.id != nil) }
    try startLongRequest()
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

    try endLongRequest()
    #expect(try session.client.response(to: "POST").status == 200)
    #expect(try server.process.wait() == .code(0))
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a second signal ends it at once with exit code 1`(signal: Int32) throws {
    try startLongRequest()
    server.process.signal(SIGTERM)
    #expect(try isDraining())
    server.process.signal(signal)
    #expect(try server.process.wait() == .code(1))
  }

  @Test func `the service ends within the grace period, and an accepted action gets 202 before`()
    throws
  {
    // Repeat the attempt: a service that is not scheduled at the end of the grace period ends
    // without a response.
    let isInTime = try (0..<5).contains { _ in
      let server = try ReactordProcess("--shutdown-grace", "2", program: "faulty")
      let session = server.session(of: "faulty")
      try session.client.start(
        "POST", session.path + "/actions",
        ["Content-Type": "application/json", "Prefer": "wait=3600"], body: Array(#""wait""#.utf8))
      let observer = SessionClient(server.client(), session.path)
      try #require(eventually { try observer.effects().count == 1 })
      let exit = try server.stop()
      return exit == .code(0) && (try? session.client.response(to: "POST"))?.status == 202
    }
    #expect(isInTime)
  }

  @Test func `a stream that is not read does not prevent the end`() throws {
    let counter = SessionClient(server.client(), "/v1/reactors/counter/sessions/stuck")
    let stuck = try counter.events("?replay=all", receiveBuffer: 2048)
    let batch = "[" + Array(repeating: #"{"add":1}"#, count: 1000).joined(separator: ",") + "]"
    for _ in 0..<5 { try counter.post(batch, ["Prefer": "return=minimal"]) }
    #expect(stuck.head.status == 200)
    #expect(try server.stop() == .code(0))
  }

  @Test func `the listening port is free afterwards`() throws {
    // No other process can listen at the port.
    let port = try ReservedPort()
    let server = try ReactordProcess("--listen", port.address)
    #expect(try server.stop() == .code(0))
    #expect(throws: WireError.self) { try Connection(port: server.port) }
    withExtendedLifetime(port) {}
  }
}
