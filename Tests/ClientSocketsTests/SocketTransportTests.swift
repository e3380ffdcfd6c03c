import ClientCore
import ClientSockets
import Synchronization
import Testing

/// The transport of plain sockets against a server that fails at chosen points.
///
/// A stall of the machine ends neither a request nor an idle connection: their times are an hour,
/// except for requests that the server does not respond to.
@Suite(.timeLimit(.minutes(60))) struct SocketTransportTests {
  private static let key = TransportRequest.Field("Idempotency-Key", "k")

  private static let shared = Duration.seconds(3600)
  /// The timeout of a request that the server holds.
  private static let held = shared * 2

  private func transport(
    _ server: ScriptedServer, connections: Int = 1, check: Duration = .seconds(5)
  ) -> SocketTransport {
    var times = SocketTransport.Times()
    times.check = check
    times.idle = Self.shared
    times.shared = Self.shared
    return SocketTransport(
      to: HTTPOrigin(server.address), connections: connections, times: times)
  }

  private func request(
    _ method: String = "GET", _ path: String = "a", fields: [TransportRequest.Field] = [],
    body: String? = nil, timeout: Duration = shared
  ) -> TransportRequest {
    TransportRequest(
      method, path, fields: fields, body: body.map { Array($0.utf8) }, timeout: timeout)
  }

  private func send(
    _ request: TransportRequest, _ transport: SocketTransport
  ) async -> Result<TransportResponse, Problem> {
    await withCheckedContinuation { continuation in
      transport.send(request) { continuation.resume(returning: $0) }
    }
  }

  private func body(
    _ request: TransportRequest, _ transport: SocketTransport
  ) async throws -> String {
    String(decoding: try await send(request, transport).get().body, as: UTF8.self)
  }

  private func kind(
    _ request: TransportRequest, _ transport: SocketTransport
  ) async -> Problem.Kind? {
    guard case .failure(let problem) = await send(request, transport) else { return nil }
    return problem.kind
  }

  @Test func `requests share a connection that stays open`() async throws {
    let server = try ScriptedServer { peer in
      while let request = peer.request() { peer.respond(request.line + request.body) }
    }
    let transport = transport(server)
    #expect(try await body(request(), transport) == "GET /a HTTP/1.1")
    #expect(try await body(request("POST", body: "{}"), transport) == "POST /a HTTP/1.1{}")
    #expect(server.connectionCount == 1)
    transport.close()
  }

  @Test func `a connection that was closed while it was idle is replaced`() async throws {
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
      },
      { peer in
        while peer.request() != nil { peer.respond("2") }
      })
    let transport = transport(server)
    #expect(try await body(request(), transport) == "1")
    #expect(try await body(request(), transport) == "2")
    #expect(server.connectionCount == 2)
    transport.close()
  }

  @Test func `a request on a connection that is cut before the response is repeated at once`()
    async throws
  {
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        peer.respond("1")
        _ = peer.request()
      },
      { peer in
        while let request = peer.request() { peer.respond(request.body) }
      })
    let transport = transport(server)
    #expect(try await body(request(), transport) == "1")
    let action = request("POST", fields: [Self.key], body: "action")
    #expect(try await body(action, transport) == "action")
    transport.close()
  }

  @Test func `requests race with a server that closes each connection after its response`()
    async throws
  {
    let script: ScriptedServer.Script = { peer in
      if let request = peer.request() { peer.respond(request.body) }
    }
    let server = try ScriptedServer(Array(repeating: script, count: 200))
    let transport = transport(server)
    for number in 0..<200 {
      let action = request("POST", fields: [Self.key], body: "\(number)")
      #expect(try await body(action, transport) == "\(number)")
    }
    transport.close()
  }

  @Test func `a request of any size is sent on an open connection`() async throws {
    let server = try ScriptedServer { peer in
      while let request = peer.request() { peer.respond("\(request.body.utf8.count)") }
    }
    let transport = transport(server)
    for size in [1, 16_000, 17_000, 60_000, 1] {
      let text = String(repeating: "x", count: size)
      #expect(try await body(request("POST", body: text), transport) == "\(size)")
    }
    #expect(server.connectionCount == 1)
    transport.close()
  }

  @Test(arguments: [Duration.milliseconds(5), .seconds(600)])
  func `a request on an open connection has its timeout`(check: Duration) async throws {
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        peer.respond("1")
        peer.waitForEnd()
      },
      { peer in
        while peer.request() != nil { peer.respond("2") }
      })
    let transport = transport(server, check: check)
    #expect(try await body(request(), transport) == "1")
    #expect(await kind(request(timeout: .milliseconds(20)), transport) == .unreachable)
    #expect(try await body(request(), transport) == "2")
    transport.close()
  }

  @Test func `a POST without a key is not repeated`() async throws {
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        peer.respond("1")
        _ = peer.request()
      },
      { peer in
        while peer.request() != nil { peer.respond("2") }
      })
    let transport = transport(server)
    #expect(try await body(request(), transport) == "1")
    #expect(await kind(request("POST", body: "x"), transport) == .unreachable)
    #expect(try await body(request(), transport) == "2")
    transport.close()
  }

  @Test func `a response that is cut, reset or no HTTP is a failure at once`() async throws {
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
      },
      { peer in
        _ = peer.request()
        peer.resetAtEnd()
      },
      { peer in
        _ = peer.request()
        peer.send("SSH-2.0-OpenSSH\r\n")
        peer.waitForEnd()
      })
    let transport = transport(server)
    #expect(await kind(request(), transport) == .unreachable)
    #expect(await kind(request(), transport) == .unreachable)
    #expect(await kind(request(), transport) == .notAServer)
    transport.close()
  }

  @Test func `a server that is silent, absent or gone is unreachable`() async throws {
    var server = Optional(try ScriptedServer { peer in peer.waitForEnd() })
    let transport = transport(try #require(server))
    #expect(await kind(request(timeout: .milliseconds(20)), transport) == .unreachable)
    server = nil
    #expect(await kind(request(), transport) == .unreachable)
    transport.close()
  }

  @Test func `a token with a newline is rejected before a connection is opened`() async throws {
    let server = try ScriptedServer()
    let transport = transport(server)
    let invalid = request(fields: [.init("Authorization", "Bearer a\n")])
    #expect(await kind(invalid, transport) == .invalidParameter)
    #expect(server.connectionCount == 0)
    transport.close()
  }

  @Test func `requests beyond the bound of connections wait and all get a response`() async throws {
    let echo: ScriptedServer.Script = { peer in
      while let request = peer.request() { peer.respond(request.body) }
    }
    let server = try ScriptedServer(echo, echo, echo)
    let transport = transport(server, connections: 2)
    let bodies = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<200 {
        group.addTask { [self] in try await body(request("POST", body: "\(number)"), transport) }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(bodies.count == 200)
    #expect(server.connectionCount <= 2)
    transport.close()
  }

  @Test func `a request that the server holds delays no other`() async throws {
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        peer.waitForEnd()
      },
      { peer in
        while peer.request() != nil { peer.respond("quick") }
      })
    let transport = transport(server)
    async let held = kind(request("POST", fields: [Self.key], timeout: Self.held), transport)
    while server.connectionCount == 0 { await Task.yield() }
    #expect(try await body(request(), transport) == "quick")
    transport.close()
    let end = await held
    #expect(end == .unreachable)
  }

  @Test func `a stream arrives in parts until it is cancelled`() async throws {
    let server = try ScriptedServer { peer in
      _ = peer.request()
      peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
      peer.waitForEnd()
    }
    let transport = transport(server)
    let events = AsyncStream<TransportEvent>.makeStream()
    let connection = transport.open(request()) { event in
      events.continuation.yield(event)
      if case .end = event { events.continuation.finish() }
    }
    var texts: [String] = []
    for await event in events.stream {
      switch event {
      case .head(let head): texts.append("\(head.status)")
      case .bytes(let bytes):
        texts.append(String(decoding: bytes, as: UTF8.self))
        connection.cancel()
      case .end(let problem): texts.append(problem?.kind.rawValue ?? "end")
      }
    }
    #expect(texts == ["200", "one", "unreachable"])
  }

  @Test func `a closed transport ends its requests and streams and accepts no more`() async throws {
    let server = try ScriptedServer(
      { peer in peer.waitForEnd() }, { peer in peer.waitForEnd() })
    let transport = transport(server)
    let stream = AsyncStream<TransportEvent>.makeStream()
    _ = transport.open(request()) { stream.continuation.yield($0) }
    async let busy = kind(request(), transport)
    async let waiting = kind(request(), transport)
    while server.connectionCount < 2 { await Task.yield() }
    transport.close()
    let kinds = await [busy, waiting]
    #expect(kinds == [.unreachable, .unreachable])
    var events = stream.stream.makeAsyncIterator()
    guard case .end(let problem) = await events.next() else {
      Issue.record("the stream has not ended")
      return
    }
    #expect(problem?.kind == .unreachable)
    #expect(await kind(request(), transport) == .unreachable)
  }
}
