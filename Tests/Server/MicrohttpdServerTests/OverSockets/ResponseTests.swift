internal import MicrohttpdServer
internal import ReactorTransport
internal import Synchronization
internal import Testing

extension OverSockets {
  @Suite struct Responses {
    @Test(arguments: [1, 2])
    func `a response from another thread arrives`(workers: Int) throws {
      let server = try TestServer(
        settings: .init(workers: workers),
        responder: TestResponder { request, reply in
          TestThread { reply(.text("\(request.path)")) }.detach()
        })
      var clients = try (0..<8).map { _ in try server.client() }
      for number in 1...100 {
        for client in clients { try client.request("GET", "/\(number)") }
        for client in clients { #expect(try client.receiveResponse().body == "/\(number)") }
      }
      clients = []
      #expect(server.becomesIdle())
    }

    @Test func `a later response arrives, and others do not wait for it`() throws {
      let (server, replies) = try waitingServer()
      let waiting = try server.client()
      try waiting.request("GET", "/wait")
      let reply = try #require(replies.next())
      let other = try server.client()
      try other.request("GET", "/now")
      #expect(try other.receiveResponse().body == "now")
      #expect(server.server.statistics.requestsInFlight >= 1)
      reply(.text("later"))
      #expect(try waiting.receiveResponse().body == "later")
      try waiting.request("GET", "/now")
      #expect(try waiting.receiveResponse().body == "now")
    }

    @Test(arguments: [1, 100])
    func `a response arrives whatever the number of requests in between`(
      others: Int
    ) throws {
      let (server, replies) = try waitingServer()
      let waiting = try (0..<3).map { _ in try server.client() }
      for client in waiting { try client.request("GET", "/wait") }
      let given = try waiting.map { _ in try #require(replies.next()) }
      let other = try server.client()
      for _ in 1...others {
        try other.request("GET", "/now")
        #expect(try other.receiveResponse().body == "now")
      }
      // The longest one is sent in several turns.
      let bodies = ["a", "b", String(repeating: "c", count: 5_000_000)]
      for (reply, body) in zip(given, bodies) { reply(.text(body)) }
      var received: Set<Int> = []
      for client in waiting { received.insert(try client.receiveResponse().body.utf8.count) }
      #expect(received == [1, 5_000_000])
      for client in waiting {
        try client.request("GET", "/now")
        #expect(try client.receiveResponse().body == "now")
      }
    }

    @Test func `a request that arrives in pieces is read while others wait`() throws {
      let (server, replies) = try waitingServer()
      let waiting = try server.client()
      try waiting.request("GET", "/wait")
      let reply = try #require(replies.next())
      let other = try server.client()
      // The head is larger than libmicrohttpd's initial buffer.
      let fields = String(
        repeating: "X-Filler: \(String(repeating: "x", count: 985))\r\n", count: 16)
      for piece in ["GET /now HTTP/1.1\r\nHost: a\r\n", fields, "\r\n"] { try other.send(piece) }
      #expect(try other.receiveResponse().body == "now")
      reply(.text("later"))
      #expect(try waiting.receiveResponse().body == "later")
    }

    @Test func `a second response is ignored, and its stream closed`() throws {
      let stream = TestStream()
      let server = try TestServer(
        responder: TestResponder { _, reply in
          reply(.text("first"))
          reply(.text("second"))
          reply(.stream(stream))
        })
      let client = try server.client()
      for _ in 1...2 {
        try client.request("GET", "/")
        #expect(try client.receiveResponse().body == "first")
      }
      #expect(stream.closings == 2)
    }

    @Test func `a request without a response gets a 500`() throws {
      let server = try TestServer(responder: TestResponder { _, _ in })
      let client = try server.client()
      for _ in 1...2 {
        try client.request("GET", "/")
        #expect(try client.receiveResponse().status == 500)
      }
    }

    @Test func `a client that leaves while its request waits has no effect`() throws {
      let (server, replies) = try waitingServer()
      for resets in [false, true] {
        var client: TestClient? = try server.client()
        try client?.request("GET", "/wait")
        let reply = try #require(replies.next())
        if resets { client?.reset() }
        client = nil
        reply(.text("too late"))
      }
      #expect(server.becomesIdle())
    }

    @Test func `a client that leaves before its stream opens closes the stream once`() throws {
      let (server, replies) = try waitingServer()
      for resets in [false, true] {
        var client: TestClient? = try server.client()
        try client?.request("GET", "/wait")
        let reply = try #require(replies.next())
        if resets { client?.reset() }
        client = nil
        let stream = TestStream("hello")
        reply(.stream(stream))
        #expect(stream.isClosed.wait())
        #expect(server.becomesIdle())
        #expect(stream.closings == 1)
      }
    }

    /// A server whose responses to `/wait` the test provides.
    private func waitingServer() throws -> (TestServer, PendingReplies) {
      let replies = PendingReplies()
      let server = try TestServer(
        responder: TestResponder { request, reply in
          if request.path == "/wait" { replies.add(reply) } else { reply(.text("now")) }
        })
      return (server, replies)
    }
  }
}
