internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

extension OverSockets {
  @Suite(.onEitherThread) struct DelayedRejections {
    /// Signalled for each request that is rejected.
    private let isRejected = Signal()

    /// A server that accepts `/open`, and delays the rejection of other requests.
    private func server(delay: Duration) throws -> TestServer {
      var responder = TestResponder.echo
      responder.admission = { [isRejected] head in
        guard head.path != "/open" else { return .accept(nil) }
        isRejected.send()
        return .reject(.text("later", status: 401), after: delay)
      }
      return try TestServer(responder: responder)
    }

    @Test func `a delayed rejection is sent when it is due, and the body is dropped`() throws {
      let server = try server(delay: .milliseconds(20))
      let client = try server.client()
      let size = 512 << 10
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
      try client.send([UInt8](repeating: 97, count: size))
      let response = try client.receiveResponse()
      #expect(response.status == 401)
      #expect(response.body == "later")
      #expect(response["connection"] == "close")
      #expect(try client.receiveToEnd() == "")
    }

    @Test func `a delayed rejection delays no other request, and is sent when the server stops`()
      throws
    {
      let server = try server(delay: .seconds(3600))
      let delayed = try server.client()
      try delayed.request("POST", "/", body: "a")
      #expect(isRejected.wait())
      let other = try server.client()
      try other.request("POST", "/open", body: "b")
      #expect(try other.receiveResponse().status == 200)
      server.server.stop(within: .seconds(5))
      #expect(try delayed.receiveResponse().status == 401)
    }

    @Test func `a delayed response above the limit sends the next due one early`() throws {
      let server = try server(delay: .seconds(3600))
      var clients: [TestClient] = []
      for _ in 0...DelayedResponses.limit {
        let client = try server.client()
        try client.request("POST", "/", body: "a")
        #expect(isRejected.wait())
        clients.append(client)
      }
      #expect(try TestClient.firstToReceive(of: clients) == 0)
      server.server.stop(within: .seconds(5))
      for client in clients { #expect(try client.receiveResponse().status == 401) }
    }

    @Test func `delayed responses of closed connections are released`() throws {
      let server = try server(delay: .seconds(3600))
      for _ in 1...20 {
        let client = try server.client()
        try client.request("POST", "/", body: "a")
        #expect(isRejected.wait())
        client.reset()
      }
      #expect(server.becomesIdle())
    }
  }
}
