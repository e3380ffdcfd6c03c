import Glibc
import Testing

/// More sessions, connections and streams than the limits.
@Suite(.blocking)
struct OverloadTests {
  @Test func `without room for another session the response is 503, and a stream creates none`()
    throws
  {
    let server = try ReactordProcess("--sessions-limit", "1", program: "adjustable")
    let client = server.client()
    // An idle session would be evicted for the next one. This one is in use.
    #expect(try client.send("PUT", "/v1/reactors/counter/sessions/used").status == 201)
    let open = try EventStream(port: server.port, "/v1/reactors/counter/sessions/used/events")
    _ = try open.nextEvent()
    let path = "/v1/reactors/counter/sessions/other"
    let response = try client.send("PUT", path)
    try expectProblem(response, 503, "unavailable")
    #expect(response["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
    let stream = try EventStream(port: server.port, path + "/events")
    #expect(stream.head.status == 200)
    // The stream creates no session.
    #expect(try stream.nextEvent()?.data == #"{"value":0}"#)
    withExtendedLifetime(open) {}
  }

  @Test func `a large action that blocks delays no other client`() throws {
    let server = try ReactordProcess(program: "faulty")
    let blocked = server.session(of: "faulty")
    let body = Array((#"{"block":{"seconds":600}}"# + String(repeating: " ", count: 20_000)).utf8)
    try blocked.client.start(
      "POST", blocked.path + "/actions", ["Content-Type": "application/json"], body: body)
    let other = server.session(of: "other")
    for value in 1...50 {
      #expect(try other.post(#"{"add":1}"#).json["value"] == .number(Double(value)))
    }
    #expect(try server.client().get("/readyz").status == 200)
    #expect(try server.client().get("/v1/reactors/faulty/sessions").status == 200)
    server.process.kill()
  }

  @Test func `more connections than the limit do not end the service`() throws {
    let server = try ReactordProcess("--limits-connections", "8")
    do {
      let connections = try (0..<40).map { _ in try Connection(port: server.port) }
      for connection in connections {
        try? connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
      }
      #expect(server.process.isRunning)
    }
    #expect(eventually { (try? server.client().get("/healthz").status) == 200 })
  }

  @Test func `a request that does not continue is closed`() throws {
    let server = try ReactordProcess("--limits-idle", "1")
    let starts = ["", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: "]
    let ended = try concurrently(starts.count) { index in
      let connection = try Connection(port: server.port)
      try connection.send(starts[index])
      while try connection.someBytes(until: .now + Connection.timeout, "a close") != nil {}
      return true
    }
    #expect(ended == [true, true, true])
  }

  @Test func `limits.address: a connection above the limit of an address is 429 rate-limited`()
    throws
  {
    let server = try ReactordProcess("--limits-address", "2")
    let stream = try server.session(of: "counter").events()
    _ = try stream.nextEvent()
    let client = server.client()
    #expect(try client.get("/healthz").status == 200)
    let rejected = try server.client().get("/healthz")
    try expectProblem(rejected, 429, "rate-limited")
    #expect(rejected["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
    #expect(try client.get("/metrics").text.contains("reactord_http_connections_refused_total 1\n"))
    stream.abort()
    #expect(eventually { (try? server.client().get("/healthz").status) == 200 })
  }

  @Test func `limits.address: a trusted proxy has no limit`() throws {
    let server = try ReactordProcess("--limits-address", "1", "--http-proxies", "127.0.0.1")
    let clients = (0..<4).map { _ in server.client() }
    for client in clients { #expect(try client.get("/healthz").status == 200) }
  }

  @Test func `limits.head: header fields that arrive byte by byte are closed`() throws {
    let server = try ReactordProcess("--limits-head", "0.3")
    let slow = try Connection(port: server.port)
    let isClosed = eventually {
      (try? slow.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")) == nil
    }
    #expect(isClosed)
    // On a busy machine, the connection of this request can be closed as well.
    let isCounted = eventually {
      let figures = try? MetricsReading(server.client())
      return figures?["reactord_http_connections_overdue_total"] ?? 0 >= 1
    }
    #expect(isCounted)
  }

  @Test func `limits.transfer: a body that does not arrive is 408`() throws {
    let server = try ReactordProcess("--limits-transfer", "0.3")
    let (response, _) = try server.client().raw(
      "POST /v1/reactors/counter/sessions/a/actions HTTP/1.1\r\nHost: localhost\r\n"
        + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n\"inc", method: "POST")
    #expect(response.status == 408)
    #expect(response["Connection"] == "close")
  }

  @Test func `a stream stays open longer than limits.idle`() throws {
    let server = try ReactordProcess("--limits-idle", "1", "--streams-heartbeat", "0.4")
    let path = server.session(of: "counter").path
    // On a busy machine, a connection can be closed before its request arrives.
    var opened: EventStream?
    #expect(
      eventually {
        opened = try? SessionClient(server.client(), path).events()
        return opened != nil
      })
    let stream = try #require(opened)
    _ = try stream.nextEvent()
    for _ in 0..<4 { #expect(try stream.next()?.comments.isEmpty == false) }
    #expect(
      eventually {
        (try? SessionClient(server.client(), path).post(#""increase""#, ["Idempotency-Key": "k"]))?
          .status == 200
      })
    #expect(try stream.nextEvent()?.data == #"{"value":1}"#)
  }

  @Test func `hundreds of streams are served by few threads`() throws {
    let server = try ReactordProcess()
    let session = server.session(of: "counter")
    let streams = try (0..<400).map { _ in try session.events() }
    for stream in streams { #expect(try stream.nextEvent()?.data == #"{"value":0}"#) }
    try session.post(#""increase""#)
    for stream in streams { #expect(try stream.nextEvent()?.data == #"{"value":1}"#) }
    // Without this, an optimized build would close the streams after their last use.
    try withExtendedLifetime(streams) { () throws in
      #expect(try session.subscribers() == 400)
      #expect(try ProcessFigures(of: server.process).threads < 40)
    }
  }
}
