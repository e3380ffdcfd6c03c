internal import MicrohttpdServer
internal import ReactorHTTP
internal import Synchronization
internal import Testing

extension OverSockets {
  @Suite struct Answers {
    @Test(arguments: [1, 2])
    func `an answer from another thread at once arrives`(workers: Int) throws {
      let server = try TestServer(
        settings: .init(workers: workers),
        responder: TestResponder { request, answer in
          TestThread { answer(.text(request.path)) }.detach()
        })
      var clients = try (0..<8).map { _ in try server.client() }
      for number in 1...100 {
        for client in clients { try client.request("GET", "/\(number)") }
        for client in clients { #expect(try client.receiveResponse().body == "/\(number)") }
      }
      clients = []
      #expect(server.settles())
    }

    @Test func `an answer that comes later arrives, and others do not wait for it`() throws {
      let (server, answers) = try serverThatWaits()
      let waiting = try server.client()
      try waiting.request("GET", "/wait")
      let answer = try #require(answers.next())
      let other = try server.client()
      try other.request("GET", "/now")
      #expect(try other.receiveResponse().body == "now")
      #expect(server.server.statistics.requestsInFlight >= 1)
      answer(.text("later"))
      #expect(try waiting.receiveResponse().body == "later")
      try waiting.request("GET", "/now")
      #expect(try waiting.receiveResponse().body == "now")
    }

    @Test(arguments: [1, 100])
    func `an answer arrives however often the server was busy with others before`(
      others: Int
    ) throws {
      let (server, answers) = try serverThatWaits()
      let waiting = try (0..<3).map { _ in try server.client() }
      for client in waiting { try client.request("GET", "/wait") }
      let given = try waiting.map { _ in try #require(answers.next()) }
      let other = try server.client()
      for _ in 1...others {
        try other.request("GET", "/now")
        #expect(try other.receiveResponse().body == "now")
      }
      // The longest one would be sent in several turns.
      let bodies = ["a", "b", String(repeating: "c", count: 5_000_000)]
      for (answer, body) in zip(given, bodies) { answer(.text(body)) }
      var received: Set<Int> = []
      for client in waiting { received.insert(try client.receiveResponse().body.utf8.count) }
      #expect(received == [1, 5_000_000])
      for client in waiting {
        try client.request("GET", "/now")
        #expect(try client.receiveResponse().body == "now")
      }
    }

    @Test func `a request that comes in pieces is read while others wait`() throws {
      let (server, answers) = try serverThatWaits()
      let waiting = try server.client()
      try waiting.request("GET", "/wait")
      let answer = try #require(answers.next())
      let other = try server.client()
      // The head fills more than the buffer that libmicrohttpd begins with.
      let fields = String(
        repeating: "X-Filler: \(String(repeating: "x", count: 985))\r\n", count: 16)
      for piece in ["GET /now HTTP/1.1\r\nHost: a\r\n", fields, "\r\n"] { try other.send(piece) }
      #expect(try other.receiveResponse().body == "now")
      answer(.text("later"))
      #expect(try waiting.receiveResponse().body == "later")
    }

    @Test func `the second answer is ignored, and its stream closed`() throws {
      let stream = TestStream()
      let server = try TestServer(
        responder: TestResponder { _, answer in
          answer(.text("first"))
          answer(.text("second"))
          answer(.stream(stream))
        })
      let client = try server.client()
      for _ in 1...2 {
        try client.request("GET", "/")
        #expect(try client.receiveResponse().body == "first")
      }
      #expect(stream.closings == 2)
    }

    @Test func `a request that nobody answers gets a 500`() throws {
      let server = try TestServer(responder: TestResponder { _, _ in })
      let client = try server.client()
      for _ in 1...2 {
        try client.request("GET", "/")
        #expect(try client.receiveResponse().status == 500)
      }
    }

    @Test func `a client that leaves while its request waits harms nobody`() throws {
      let (server, answers) = try serverThatWaits()
      for resets in [false, true] {
        var client: TestClient? = try server.client()
        try client?.request("GET", "/wait")
        let answer = try #require(answers.next())
        if resets { client?.reset() }
        client = nil
        answer(.text("too late"))
      }
      #expect(server.settles())
    }

    @Test func `a client that leaves before its stream opens closes the stream once`() throws {
      let (server, answers) = try serverThatWaits()
      for resets in [false, true] {
        var client: TestClient? = try server.client()
        try client?.request("GET", "/wait")
        let answer = try #require(answers.next())
        if resets { client?.reset() }
        client = nil
        let stream = TestStream("hello")
        answer(.stream(stream))
        #expect(stream.isClosed.wait())
        #expect(server.settles())
        #expect(stream.closings == 1)
      }
    }

    /// A server that keeps the answers of `/wait` for the test to give.
    private func serverThatWaits() throws -> (TestServer, PendingAnswers) {
      let answers = PendingAnswers()
      let server = try TestServer(
        responder: TestResponder { request, answer in
          if request.path == "/wait" { answers.add(answer) } else { answer(.text("now")) }
        })
      return (server, answers)
    }
  }
}
