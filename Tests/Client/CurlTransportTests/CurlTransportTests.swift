import ClientCore
import Testing

@testable import CurlTransport

/// The transport of libcurl against a server that fails at chosen points.
///
/// A stall of the machine ends neither a request nor an idle connection: their times are an hour,
/// except for requests that the server does not respond to.
@Suite(.timeLimit(.minutes(60))) struct CurlTransportTests {
  @Test func `requests share a connection that stays open`() async throws {
    let server = try ScriptedServer { peer in
      while let request = peer.request() { peer.respond(request.line + request.body) }
    }
    let transport = CurlTransport(server)
    #expect(try await transport.body(request()) == "GET /a HTTP/1.1")
    #expect(try await transport.body(request("POST", body: "{}")) == "POST /a HTTP/1.1{}")
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
    let transport = CurlTransport(server)
    #expect(try await transport.body(request()) == "1")
    #expect(try await transport.body(request()) == "2")
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
    let transport = CurlTransport(server)
    #expect(try await transport.body(request()) == "1")
    let action = request("POST", fields: [idempotencyKey], body: "action")
    #expect(try await transport.body(action) == "action")
    transport.close()
  }

  @Test func `requests race with a server that closes each connection after its response`()
    async throws
  {
    let script: ScriptedServer.Script = { peer in
      if let request = peer.request() { peer.respond(request.body) }
    }
    let server = try ScriptedServer(Array(repeating: script, count: 200))
    let transport = CurlTransport(server)
    for number in 0..<200 {
      let action = request("POST", fields: [idempotencyKey], body: "\(number)")
      #expect(try await transport.body(action) == "\(number)")
    }
    transport.close()
  }

  @Test func `a request of any size is sent on an open connection`() async throws {
    let server = try ScriptedServer { peer in
      while let request = peer.request() { peer.respond("\(request.body.utf8.count)") }
    }
    let transport = CurlTransport(server)
    for size in [1, 16_000, 17_000, 60_000, 1] {
      let text = String(repeating: "x", count: size)
      #expect(try await transport.body(request("POST", body: text)) == "\(size)")
    }
    #expect(server.connectionCount == 1)
    transport.close()
  }

  @Test func `a request on an open connection has its timeout`() async throws {
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        peer.respond("1")
        peer.waitForEnd()
      },
      { peer in
        while peer.request() != nil { peer.respond("2") }
      })
    let transport = CurlTransport(server)
    #expect(try await transport.body(request()) == "1")
    #expect(await transport.kind(request(timeout: .milliseconds(20))) == .unreachable)
    #expect(try await transport.body(request()) == "2")
    transport.close()
  }

  @Test func `a POST without a key is not repeated`() async throws {
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        peer.respond("1")
        _ = peer.request()
      },
      // libcurl opens another connection before the transport prevents the repetition.
      { peer in
        if peer.request() != nil { peer.respond("repeated") }
      },
      { peer in
        while peer.request() != nil { peer.respond("2") }
      })
    let transport = CurlTransport(server)
    #expect(try await transport.body(request()) == "1")
    #expect(await transport.kind(request("POST", body: "x")) == .unreachable)
    #expect(try await transport.body(request()) == "2")
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
    let transport = CurlTransport(server)
    #expect(await transport.kind(request()) == .unreachable)
    #expect(await transport.kind(request()) == .unreachable)
    #expect(await transport.kind(request()) == .notAServer)
    transport.close()
  }

  @Test func `a server that is silent, absent or gone is unreachable`() async throws {
    var server = Optional(try ScriptedServer { peer in peer.waitForEnd() })
    let transport = CurlTransport(try #require(server))
    #expect(await transport.kind(request(timeout: .milliseconds(20))) == .unreachable)
    server = nil
    #expect(await transport.kind(request()) == .unreachable)
    transport.close()
  }

  @Test func `a token with a newline is rejected before a connection is opened`() async throws {
    let server = try ScriptedServer()
    let transport = CurlTransport(server)
    let invalid = request(fields: [.init("Authorization", "Bearer a\n")])
    #expect(await transport.kind(invalid) == .invalidParameter)
    #expect(server.connectionCount == 0)
    transport.close()
  }

  @Test func `requests beyond the bound of connections wait and all get a response`() async throws {
    let echo: ScriptedServer.Script = { peer in
      while let request = peer.request() { peer.respond(request.body) }
    }
    let server = try ScriptedServer(echo, echo, echo)
    let transport = CurlTransport(server, connections: 2)
    let bodies = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<200 {
        group.addTask { try await transport.body(request("POST", body: "\(number)")) }
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
    let transport = CurlTransport(server)
    async let held = transport.kind(
      request("POST", fields: [idempotencyKey], timeout: sharedTimeout * 2))
    while server.connectionCount == 0 { await Task.yield() }
    #expect(try await transport.body(request()) == "quick")
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
    let transport = CurlTransport(server)
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
    let transport = CurlTransport(server)
    let stream = AsyncStream<TransportEvent>.makeStream()
    _ = transport.open(request()) { stream.continuation.yield($0) }
    async let busy = transport.kind(request())
    async let waiting = transport.kind(request())
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
    #expect(await transport.kind(request()) == .unreachable)
  }
}
