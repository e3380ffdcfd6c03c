internal import MicrohttpdServer
internal import ReactorTransport
internal import Testing

extension OverSockets {
  /// Many requests at the same moment.
  @Suite(.onEitherThread) struct Crowds {
    // libmicrohttpd processes events in batches of 128; with its own thread, 0.9.75 waits after a full
    // batch for more before it handles them.
    @Test(arguments: [127, 128, 129, 256, 384])
    func `requests that arrive at once all get a response`(count: Int) throws {
      let entered = Signal()
      let release = Signal()
      let server = try TestServer(
        responder: TestResponder { request, reply in
          if request.path == "/hold" {
            // Block the worker, which responders must not do, so that all other requests arrive in
            // the meantime.
            entered.send()
            _ = release.wait()
          }
          reply(.text("\(request.path)"))
        })
      let holder = try server.client()
      let clients = try (0..<count).map { _ in try server.client() }
      for round in 1...3 {
        // All are connected, and libmicrohttpd has read their sockets until EAGAIN.
        for client in clients { try client.request("GET", "/\(round)") }
        for client in clients { #expect(try client.receiveResponse().body == "/\(round)") }
        try holder.request("GET", "/hold")
        #expect(entered.wait())
        for client in clients { try client.request("GET", "/at-once") }
        release.send()
        #expect(try holder.receiveResponse().status == 200)
        for client in clients { #expect(try client.receiveResponse().body == "/at-once") }
      }
    }

    @Test func `later responses that come at once all arrive`() throws {
      let replies = PendingReplies()
      let server = try TestServer(
        settings: .init(workers: 2), responder: TestResponder { _, reply in replies.add(reply) })
      let clients = try (0..<256).map { _ in try server.client() }
      for _ in 1...3 {
        for client in clients { try client.request("GET", "/") }
        let waiting = try clients.map { _ in try #require(replies.next()) }
        for reply in waiting { reply(.text("done")) }
        for client in clients { #expect(try client.receiveResponse().body == "done") }
      }
    }

    @Test func `a connection above the limit is served when another one has closed`() throws {
      let replies = PendingReplies()
      let server = try TestServer(
        settings: .init(
          workers: 2, limits: .init(connections: 4, reserved: 0, isExempt: { _ in true })),
        responder: TestResponder { _, reply in replies.add(reply) })
      var clients: [(TestClient, TestResponder.Reply)] = []
      for _ in 1...4 {
        let client = try server.client()
        try client.request("GET", "/")
        clients.append((client, try #require(replies.next())))
      }
      for _ in 1...20 {
        let next = try server.client()
        try next.request("GET", "/next")
        #expect(server.server.statistics.connections <= 4)
        let (client, reply) = clients.removeFirst()
        reply(.text("done"))
        #expect(try client.receiveResponse().body == "done")
        clients.append((next, try #require(replies.next())))
      }
      for (_, reply) in clients { reply(.text("done")) }
    }
  }
}
