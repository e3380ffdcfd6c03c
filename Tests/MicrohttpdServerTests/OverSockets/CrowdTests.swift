internal import MicrohttpdServer
internal import ReactorHTTP
internal import Testing

extension OverSockets {
  /// Many connections at the same instant.
  @Suite(.onEitherThread) struct Crowds {
    // libmicrohttpd takes events in batches of 128; with a thread of its own, 0.9.75 waits after a
    // full batch for more before it handles what it has.
    @Test(arguments: [127, 128, 129, 256, 384])
    func `requests that arrive all at once are all answered`(count: Int) throws {
      let entered = Signal()
      let release = Signal()
      let server = try TestServer(
        responder: TestResponder { request, answer in
          if request.path == "/hold" {
            // Against the rules, so that everything else arrives in the meantime.
            entered.send()
            _ = release.wait()
          }
          answer(.text(request.path))
        })
      let holder = try server.client()
      let clients = try (0..<count).map { _ in try server.client() }
      for round in 1...3 {
        // All are connected, and what libmicrohttpd knows of their sockets is used up.
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

    @Test func `answers that come later, all at once, all arrive`() throws {
      let answers = PendingAnswers()
      let server = try TestServer(
        settings: .init(workers: 2), responder: TestResponder { _, answer in answers.add(answer) })
      let clients = try (0..<256).map { _ in try server.client() }
      for _ in 1...3 {
        for client in clients { try client.request("GET", "/") }
        let waiting = try clients.map { _ in try #require(answers.next()) }
        for answer in waiting { answer(.text("done")) }
        for client in clients { #expect(try client.receiveResponse().body == "done") }
      }
    }

    @Test func `one more connection than allowed is served when another has left`() throws {
      let server = try TestServer(
        settings: .init(workers: 2, limits: .init(connections: 4)))
      var clients = try (0..<4).map { _ in try server.client() }
      for client in clients {
        try client.request("GET", "/")
        #expect(try client.receiveResponse().status == 200)
      }
      for _ in 1...20 {
        let next = try server.client()
        try next.request("GET", "/next")
        #expect(server.server.statistics.connections <= 4)
        clients.removeFirst()
        #expect(try next.receiveResponse().body.hasPrefix("GET /next "))
        clients.append(next)
      }
    }
  }
}
