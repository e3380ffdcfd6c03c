internal import Glibc
internal import MicrohttpdServer
internal import ReactorTransport
internal import Testing

extension OverSockets {
  /// Clients above the limits, and slow clients.
  @Suite(.onEitherThread) struct Limits {
    @Test func `a connection above the limit of its client is rejected with a response`() throws {
      let stream = TestStream("one")
      let server = try TestServer(
        settings: .init(limits: .init(connectionsPerAddress: 2), linger: .milliseconds(20)),
        responder: TestResponder { request, reply in
          reply(request.path == "/events" ? .stream(stream) : .text("\(request.peer!)"))
        })
      let watching = try server.client()
      try watching.request("GET", "/events")
      _ = try watching.receiveResponse()
      #expect(try watching.receiveChunk() == "one")
      // The stream counts, although its connection left libmicrohttpd.
      var asking: TestClient? = try server.client()
      try asking?.request("GET", "/")
      #expect(try asking?.receiveResponse().body == "127.0.0.1")

      let rejected = try server.client()
      try rejected.request("GET", "/")
      let response = try rejected.receiveResponse()
      #expect(response.status == 429)
      #expect(response.body == "connections over 2")
      #expect(response["connection"] == "close")
      #expect(try rejected.receiveToEnd() == "")
      #expect(server.server.statistics.rejected == 1)

      asking = nil
      // The slot of a client's connection is free as soon as the server has closed it.
      let next = try server.firstWelcome()
      #expect(next.status == 200)
    }

    @Test func `a client that is too slow with its first head is closed, whatever it sends`()
      throws
    {
      let server = try TestServer(settings: .init(timeouts: .init(head: .milliseconds(100))))
      let silent = try server.client()
      let slow = try server.client()
      #expect(slow.isClosed(afterSending: "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "))
      #expect(try silent.receiveToEnd() == "")
      #expect(server.becomesIdle())
      #expect(server.server.statistics.overdue == 2)
    }

    @Test func `a client that is too slow between requests is closed`() throws {
      let server = try TestServer(settings: .init(timeouts: .init(idle: .milliseconds(100))))
      let client = try server.servedClient()
      // The server can already have closed the connection.
      try? client.send("GET / HT")
      #expect(try client.receiveToEnd() == "")
    }

    @Test func `the head of a later request has the same timeout as the first`() throws {
      let server = try TestServer(
        settings: .init(timeouts: .init(head: .milliseconds(100), idle: .seconds(3600))))
      let client = try server.servedClient()
      let before = server.server.statistics.overdue
      #expect(client.isClosed(afterSending: "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "))
      #expect(server.becomesIdle())
      #expect(server.server.statistics.overdue == before + 1)
    }

    @Test func `a body that is too slow is a 408 and a close`() throws {
      let server = try TestServer(settings: .init(timeouts: .init(body: .milliseconds(100))))
      let client = try server.client()
      try client.request("POST", "/", headers: ["Content-Length: 100"])
      // The server can already have closed the connection.
      try? client.send("only so much")
      #expect(try client.receiveResponse().status == 408)
      #expect(try client.receiveToEnd() == "")
      #expect(server.server.statistics.overdue == 1)
    }

    @Test func `a response that is not read is closed after the timeout`() throws {
      let server = try TestServer(
        settings: .init(timeouts: .init(body: .milliseconds(100)), linger: .milliseconds(20)),
        responder: TestResponder { _, reply in
          reply(.text(String(repeating: "x", count: 20_000_000)))
        })
      let client = try server.client(receiveBuffer: 2048)
      try client.request("GET", "/")
      _ = try client.receive(count: 10)
      #expect(server.becomesIdle())
      #expect(server.server.statistics.overdue == 1)
    }

    @Test func `a request that waits for its response has no timeout`() throws {
      let replies = PendingReplies()
      let short = Duration.milliseconds(50)
      let server = try TestServer(
        settings: .init(timeouts: .init(head: short, body: short, idle: short)),
        responder: TestResponder { request, reply in
          if request.path == "/wait" { replies.add(reply) } else { reply(.text("now")) }
        })
      // On a busy machine, a connection can be closed before its request arrives.
      var client = try server.client()
      try? client.request("POST", "/wait", body: "x")
      while replies.isEmpty {
        if client.hasEnded {
          client = try server.client()
          try? client.request("POST", "/wait", body: "x")
        }
        sched_yield()
      }
      let reply = try #require(replies.next())
      // Wait longer than any of the timeouts: two other connections time out in sequence.
      let other = try server.client()
      #expect(try other.receiveToEnd() == "")
      #expect(try server.client().receiveToEnd() == "")
      reply(.text("done"))
      #expect(try client.receiveResponse().body == "done")
    }
  }
}

extension TestServer {
  /// The first response that is not a rejection for too many connections.
  fileprivate func firstWelcome() throws -> TestResponse {
    for _ in 1...20_000 {
      let client = try client()
      try client.request("GET", "/")
      let response = try client.receiveResponse()
      if response.status != 429 { return response }
    }
    throw TestFailure("there was never room")
  }
}
