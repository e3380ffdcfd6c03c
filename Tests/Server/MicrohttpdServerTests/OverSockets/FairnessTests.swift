internal import Glibc
internal import ReactorTransport
internal import Shares
internal import Synchronization
internal import TestSupport
internal import Testing

@testable internal import MicrohttpdServer

extension OverSockets {
  /// No client can exhaust the resources that all clients share: bodies, connections, the worker
  /// thread.
  @Suite(.onEitherThread) struct Fairness {
    @Test func `a request is rejected at the end of its head, before its body is read`() throws {
      let paths = Mutex<[String]>([])
      var responder = TestResponder { request, reply in
        paths.withLock { $0.append("\(request.path)") }
        reply(.text("ok"))
      }
      responder.admission = { head in
        head.path == "/secret" ? .reject(.text("no token", status: 401)) : .accept(nil)
      }
      let server = try TestServer(responder: responder)
      let clients = try (0..<100).map { _ in try server.client() }
      for client in clients {
        try client.request("POST", "/secret", headers: ["Content-Length: 1000"])
        try client.send("the beginning")
      }
      for client in clients {
        let response = try client.receiveResponse()
        #expect(response.status == 401)
        #expect(response["connection"] == "close")
        #expect(try client.receiveToEnd() == "")
      }
      #expect(paths.withLock { $0 } == [])
      let client = try server.client()
      try client.request("POST", "/open", body: "x")
      #expect(try client.receiveResponse().status == 200)
    }

    @Test func `the token of an admission arrives with the request`() throws {
      final class Token: HTTPAdmissionToken {
        let account: Account? = nil
      }
      let token = Token()
      var responder = TestResponder { request, reply in
        reply(.text("\(request.admission === token) \(request.body.count)"))
      }
      responder.admission = { head in
        #expect(head.body.isEmpty && head.hasBody)
        return .accept(token)
      }
      let server = try TestServer(responder: responder)
      let client = try server.client()
      try client.request("POST", "/", body: "abc")
      #expect(try client.receiveResponse().body == "true 3")
      try client.request("GET", "/")
      #expect(try client.receiveResponse().body == "false 0")
    }

    @Test func `unfinished bodies hold no more bytes than the limit`() throws {
      let server = try TestServer(
        settings: .init(limits: .init(buffered: 100_000), linger: .milliseconds(20)))
      var clients: [TestClient] = []
      for _ in 1...20 {
        let client = try server.client()
        try client.request("POST", "/", headers: ["Content-Length: 10000"])
        try client.send(String(repeating: "x", count: 9_999))
        clients.append(client)
      }
      // Ten bodies fit into the limit, in any order of arrival.
      for _ in 1...10 {
        let rejected = clients.remove(at: try TestClient.firstToReceive(of: clients))
        #expect(try rejected.receiveResponse().body == "bodies over 100000")
      }
      for client in clients { try client.send("x") }
      for client in clients { #expect(try client.receiveResponse().status == 200) }
      clients = []
      #expect(server.becomesIdle())
      let next = try server.client()
      try next.request("POST", "/", body: String(repeating: "x", count: 90_000))
      #expect(try next.receiveResponse().status == 200)
    }

    @Test func `clients that do not read a large response share its bytes`() throws {
      let body = [UInt8](repeating: 120, count: 32 << 20)
      let server = try TestServer(
        responder: TestResponder { _, reply in
          reply(HTTPResponse(status: 200, body: .bytes(body)))
        })
      let clients = try (0..<100).map { _ in try server.client(receiveBuffer: 2048) }
      let before = try Self.residentBytes()
      for client in clients {
        try client.request("GET", "/")
        #expect(try client.receive(count: 12) == Array("HTTP/1.1 200".utf8))
      }
      // Copies would take 3200 MiB; the rest is for tests that run at the same time.
      #expect(try Self.residentBytes() - before < 1600 << 20)
    }

    @Test func `beyond the bound of bytes connections of the largest client are closed`()
      throws
    {
      var settings = MicrohttpdServer.Settings()
      settings.ledger = Ledger(memory: 16 << 20)
      let ledger = settings.ledger
      let server = try TestServer(
        settings: settings,
        responder: TestResponder { request, reply in
          let size = request.path == "/small" ? 100_000 : 1 << 20
          reply(HTTPResponse(status: 200, body: .bytes([UInt8](repeating: 120, count: size))))
        })
      // Addresses that share an entry count as one client.
      var entries: Set<TurnBudget.Entry> = []
      let sources = (2...254 as ClosedRange<UInt8>).filter { number in
        let address = ClientAddress(version4: 0x7F00_0000 + UInt32(number))
        return entries.insert(TurnBudget.entry(of: address)).inserted
      }
      let slow = try server.client(receiveBuffer: 2048, source: sources[0])
      try slow.request("GET", "/small", headers: ["Connection: close"])
      _ = try slow.receive(count: 12)
      var silent = try (0..<40).map { _ in
        try server.client(receiveBuffer: 2048, source: sources[1])
      }
      for client in silent {
        try client.request("GET", "/large")
        // The head of the response, or the end of the connection.
        _ = try? client.receive(count: 12)
      }
      let other = try server.client(source: sources[2])
      try other.request("GET", "/large", headers: ["Connection: close"])
      #expect(try other.receiveToEnd().utf8.count > 1 << 20)
      #expect(ledger.used(.responses) <= 17 << 20)
      #expect(ledger.ended(.responses) >= 20)
      #expect(try slow.receiveToEnd().utf8.count > 100_000)
      silent = []
      #expect(server.becomesIdle())
      #expect(ledger.used(.responses) == 0)
    }

    @Test func `a client that does not read gets few of its pipelined requests processed`() throws {
      let body = [UInt8](repeating: 120, count: 65_536)
      let count = Atomic<Int>(0)
      let server = try TestServer(
        responder: TestResponder { request, reply in
          guard request.path == "/large" else { return reply(.text("ok")) }
          count.add(1, ordering: .relaxed)
          reply(HTTPResponse(status: 200, body: .bytes(body)))
        })
      let silent = try server.client()
      for _ in 0..<40 { try silent.request("GET", "/large") }
      let other = try server.client()
      for _ in 0..<100 {
        try other.request("GET", "/")
        #expect(try other.receiveResponse().status == 200)
      }
      // The kernel retains the unsent bytes, and the client's buffer.
      let processed = count.load(ordering: .relaxed)
      #expect(processed <= 16)
      for _ in 0..<40 { #expect(try silent.receiveResponse().status == 200) }
    }

    @Test func `a new connection closes the one that has been idle longest`() throws {
      let server = try TestServer(settings: .init(limits: .ofProxies(2)))
      var clients: [TestClient] = []
      for number in 1...10 {
        let client = try server.client()
        try client.request("GET", "/\(number)")
        #expect(try client.receiveResponse().body.hasPrefix("GET /\(number) "))
        clients.append(client)
        if clients.count > 2 { #expect(try clients.removeFirst().receiveToEnd() == "") }
      }
      // The attempt to accept another connection counts for a moment.
      #expect(eventually { server.server.statistics.connections == 2 })
    }

    @Test func `a connection that is used outlasts those that never send a request`() throws {
      let server = try TestServer(settings: .init(limits: .ofProxies(3)))
      let used = try server.client()
      try used.request("GET", "/0")
      #expect(try used.receiveResponse().status == 200)
      var silent = [try server.client(), try server.client()]
      for number in 1...10 {
        while server.server.statistics.connections < 3 { sched_yield() }
        try used.request("GET", "/\(number)")
        #expect(try used.receiveResponse().status == 200)
        silent.append(try server.client())
        #expect(try silent.removeFirst().receiveToEnd() == "")
      }
    }

    @Test func `when all connections are in use, requests of priority are served on reserved ones`()
      throws
    {
      let replies = PendingReplies()
      var responder = TestResponder { request, reply in
        if request.path == "/wait" { replies.add(reply) } else { reply(.text("now")) }
      }
      responder.lane = { $0.path == "/healthz" ? .priority : .immediate }
      let server = try TestServer(
        settings: .init(
          limits: .init(connections: 1, reserved: 1), linger: .milliseconds(20)),
        responder: responder)
      let waiting = try server.client()
      try waiting.request("GET", "/wait")
      let reply = try #require(replies.next())
      for _ in 1...3 {
        let healthy = try server.client()
        try healthy.request("GET", "/healthz")
        let response = try healthy.receiveResponse()
        #expect(response.body == "now")
        #expect(response["connection"] == "close")
        let other = try server.client()
        try other.request("GET", "/other")
        #expect(try other.receiveToEnd().contains("no connection left"))
        let unfinished = try server.client()
        try unfinished.request("POST", "/other", headers: ["Content-Length: 10"])
        #expect(try unfinished.receiveToEnd().contains("no connection left"))
      }
      reply(.text("done"))
      #expect(try waiting.receiveResponse().body == "done")
    }

    @Test func `a client with many ready connections does not delay another one by all of them`()
      throws
    {
      let paths = Mutex<[String]>([])
      let (began, mayContinue) = (Signal(), Signal())
      let server = try TestServer(
        responder: TestResponder { request, reply in
          if request.path == "/first" {
            began.send()
            _ = mayContinue.wait()
          } else if request.path != "/hello" {
            paths.withLock { $0.append("\(request.path)") }
            // Several of these requests exceed the quantum of a turn.
            usleep(2_000)
          }
          reply(.text("ok"))
        })
      // Addresses that share an entry count as one client; at least one of these addresses has
      // another entry than the crowd's.
      let others = try (3...6).map { try server.client(source: $0) }
      let first = try server.client(source: 2)
      let crowd = try (0..<200).map { _ in try server.client(source: 2) }
      for client in crowd + others {
        try client.request("GET", "/hello")
        #expect(try client.receiveResponse().status == 200)
      }
      try first.request("GET", "/first")
      #expect(began.wait())
      for client in crowd { try client.request("GET", "/crowd") }
      for client in others { try client.request("GET", "/other") }
      mayContinue.send()
      for client in crowd + others { #expect(try client.receiveResponse().status == 200) }
      let order = paths.withLock { $0 }
      #expect(order.count == 204)
      let position = try #require(order.firstIndex(of: "/other"))
      #expect(position < 150, "\(position)")
    }

    @Test func `the bodies that a proxy passes on for one client do not delay those for another`()
      throws
    {
      final class Token: HTTPAdmissionToken {
        let account: Account?
        init(_ account: Account) { self.account = account }
      }
      let ledger = Ledger(memory: 1 << 30)
      let paths = Mutex<[String]>([])
      let (admitted, began, mayContinue) = (Signal(), Signal(), Signal())
      var responder = TestResponder { request, reply in
        if request.path == "/first" {
          began.send()
          _ = mayContinue.wait()
        } else {
          paths.withLock { $0.append("\(request.path)") }
          // Several of these requests exceed the quantum of a turn.
          usleep(2_000)
        }
        reply(.text("ok"))
      }
      responder.admission = { head in
        admitted.send()
        return .accept(Token(ledger.account(of: .principal("\(head.path)"))))
      }
      let server = try TestServer(
        settings: .init(limits: .ofProxies(1_000)), responder: responder)
      let first = try server.client()
      let crowd = try (0..<200).map { _ in try server.client() }
      // Clients with the same hash count as one; at least one of these has another one than the crowd.
      let others = try (0..<4).map { _ in try server.client() }
      func begin(_ client: TestClient, _ path: String) throws {
        try client.send("POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\n1")
      }
      for client in crowd { try begin(client, "/crowd") }
      for (number, client) in others.enumerated() { try begin(client, "/other-\(number)") }
      for _ in 0..<204 { #expect(admitted.wait()) }
      try first.request("GET", "/first")
      #expect(began.wait())
      for client in crowd + others { try client.send("2") }
      mayContinue.send()
      for client in crowd + others { #expect(try client.receiveResponse().status == 200) }
      let order = paths.withLock { $0 }
      let position = try #require(order.firstIndex { $0.hasPrefix("/other") })
      #expect(position < 150, "\(position)")
    }

    @Test func `another client is served before the large responses of a client are written`()
      throws
    {
      let body = [UInt8](repeating: 120, count: 1 << 20)
      let (began, mayContinue) = (Signal(), Signal())
      let server = try TestServer(
        responder: TestResponder { request, reply in
          if request.path == "/first" || request.path == "/other" {
            began.send()
            _ = mayContinue.wait()
          }
          reply(
            request.path == "/crowd"
              ? HTTPResponse(status: 200, body: .bytes(body)) : .text("ok"))
        })
      let others = try (3...6).map { try server.client(source: $0) }
      let first = try server.client(source: 2)
      let crowd = try (0..<40).map { _ in try server.client(receiveBuffer: 1 << 20, source: 2) }
      for client in crowd + others {
        try client.request("GET", "/hello")
        #expect(try client.receiveResponse().status == 200)
      }
      // The thread serves the crowd and the others in its next turn.
      try first.request("GET", "/first")
      #expect(began.wait())
      for client in crowd { try client.request("GET", "/crowd") }
      for client in others { try client.request("GET", "/other") }
      mayContinue.send()
      #expect(began.wait())
      let written = crowd.reduce(0) { $0 + $1.unreadBytes }
      for _ in others { mayContinue.send() }
      #expect(written <= WriteBudget.bytesPerTurn + WriteBudget.small)
      for client in crowd + others { #expect(try client.receiveResponse().status == 200) }
    }

    @Test func `large responses that are written in many turns arrive unchanged`() throws {
      let sizes = [16_384, 16_385, 65_536, 1_048_576, 1_064_960, 3_000_000]
      let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      let server = try TestServer(
        responder: TestResponder { request, reply in
          let size = Int(request.path.description.dropFirst()) ?? 0
          reply(HTTPResponse(status: 200, body: .bytes(Array(bytes[..<size]))))
        })
      let clients = try (0..<10).map { try server.client(source: 1 + $0 % 3) }
      for client in clients { for size in sizes { try client.request("GET", "/\(size)") } }
      // The first ones are read while the sockets of the others are full.
      for client in clients {
        for size in sizes {
          let head = try client.receive(until: "\r\n\r\n")
          #expect(TestResponse(head: head)["content-length"] == "\(size)")
          let isUnchanged = try client.receive(count: size) == Array(bytes[..<size])
          #expect(isUnchanged)
        }
      }
    }

    private static func residentBytes() throws -> Int {
      let descriptor = open("/proc/self/statm", O_RDONLY)
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: 128)
      let count = read(descriptor, &bytes, bytes.count)
      let fields = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(
        separator: " ")
      guard fields.count > 1, let pages = Int(fields[1]) else { throw TestFailure("no statm") }
      return pages * sysconf(Int32(_SC_PAGESIZE))
    }
  }
}

extension MicrohttpdServer.Settings.Limits {
  /// Limits with few connections, all of which are those of proxies: no client has a share.
  fileprivate static func ofProxies(_ connections: Int) -> Self {
    .init(connections: connections, reserved: 0, isExempt: { _ in true })
  }
}
