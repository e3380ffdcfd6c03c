internal import MicrohttpdServer
internal import ReactorTransport
internal import Synchronization
internal import Testing

extension OverSockets {
  /// Sequences of requests in which heads repeat.
  ///
  /// Each also runs with a field that differs each time, so that the server replaces no head.
  @Suite(.onEitherThread) struct RepeatedHeads {
    /// Whether the heads of a sequence repeat.
    static let repeats = [true, false]

    /// A client that sends one request after the other over one connection.
    private final class Sender {
      let client: TestClient
      private let repeats: Bool
      private var count = 0

      init(_ server: TestServer, repeats: Bool) throws {
        client = try server.client()
        self.repeats = repeats
      }

      func send(_ method: String, _ fields: [String], _ body: String = "") throws {
        if !repeats { count += 1 }
        let lines =
          ["\(method) / HTTP/1.1", "Host: a", "X-Number: \(count)"] + fields + ["", body]
        try client.send(lines.joined(separator: "\r\n"))
      }

      func status(_ method: String, _ fields: [String], _ body: String = "") throws -> Int {
        try send(method, fields, body)
        return try client.receiveResponse().status
      }
    }

    /// Responds with 401 without the right token, with 413 to a body of four bytes.
    private static var strict: TestResponder {
      TestResponder { request, reply in
        guard request.authorization?.value == "Bearer right" else {
          return reply(.text("no", status: 401))
        }
        reply(
          .text(
            String(decoding: request.body, as: UTF8.self),
            status: request.body.count > 3 ? 413 : 200))
      }
    }

    @Test(arguments: repeats)
    func `a connection is kept alive after 401`(repeats: Bool) throws {
      let server = try TestServer(responder: Self.strict)
      let sender = try Sender(server, repeats: repeats)
      for (token, status) in [("wrong", 401), ("right", 200), ("other", 401), ("right", 200)] {
        for _ in 0..<3 {
          let fields = ["Authorization: Bearer \(token)"]
          #expect(try sender.status("GET", fields) == status)
        }
      }
      for _ in 0..<3 { #expect(try sender.status("GET", []) == 401) }
      #expect(server.server.statistics.connections == 1)
    }

    @Test(arguments: repeats)
    func `a connection is kept alive after a 413 of the responder`(repeats: Bool) throws {
      let server = try TestServer(responder: Self.strict)
      let sender = try Sender(server, repeats: repeats)
      let fields = ["Authorization: Bearer right", "Transfer-Encoding: chunked"]
      for (size, status) in [(3, 200), (4, 413), (4, 413), (2, 200), (4, 413), (1, 200)] {
        let body = String(repeating: "a", count: size)
        let chunked = "1\r\na\r\n" + (size > 1 ? "\(size - 1)\r\n\(body.dropFirst())\r\n" : "")
        try sender.send("POST", fields, chunked + "0\r\n\r\n")
        let response = try sender.client.receiveResponse()
        #expect(response.status == status)
        #expect(response.body == body)
      }
      #expect(server.server.statistics.connections == 1)
    }

    @Test(arguments: repeats)
    func `a body above the limit ends the connection`(repeats: Bool) throws {
      let server = try TestServer(settings: .init(limits: .init(body: 3, headers: 2000)))
      let sender = try Sender(server, repeats: repeats)
      let fields = ["Transfer-Encoding: chunked"]
      for _ in 0..<3 {
        #expect(try sender.status("POST", fields, "3\r\nabc\r\n0\r\n\r\n") == 200)
      }
      #expect(try sender.status("POST", fields, "4\r\nabcd\r\n") == 413)
      #expect(try sender.client.receiveToEnd() == "")
    }

    @Test(arguments: repeats)
    func `a head that is no longer admitted ends the connection`(repeats: Bool) throws {
      let admitted = Mutex(0)
      let received = Mutex<[String]>([])
      var responder = TestResponder { request, reply in
        received.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
        reply(.text("ok"))
      }
      responder.admission = { _ in
        let isAdmitted = admitted.withLock { count in
          count += 1
          return count <= 3
        }
        return isAdmitted ? .accept(nil) : .reject(.text("no", status: 401))
      }
      let server = try TestServer(responder: responder)
      let sender = try Sender(server, repeats: repeats)
      for number in 1...3 {
        #expect(try sender.status("POST", ["Content-Length: 1"], "\(number)") == 200)
      }
      #expect(try sender.status("POST", ["Content-Length: 1"], "4") == 401)
      #expect(try sender.client.receiveToEnd() == "")
      #expect(received.withLock { $0 } == ["1", "2", "3"])
    }

    @Test(arguments: repeats, ["3", "03"])
    func `equal lengths of a body are accepted`(repeats: Bool, second: String) throws {
      let server = try TestServer()
      let sender = try Sender(server, repeats: repeats)
      for body in ["abc", "def", "ghi"] {
        try sender.send("POST", ["Content-Length: 3", "Content-Length: \(second)"], body)
        #expect(try sender.client.receiveResponse().body.contains("[\(body)]"))
      }
      #expect(server.server.statistics.connections == 1)
    }

    @Test(arguments: repeats)
    func `different lengths of a body end the connection`(repeats: Bool) throws {
      let received = Mutex<[String]>([])
      let responder = TestResponder { request, reply in
        received.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
        reply(.text("ok"))
      }
      let server = try TestServer(responder: responder)
      for lengths in [["3", "4"], ["4", "3"], ["3", "3", "0"]] {
        let sender = try Sender(server, repeats: repeats)
        for _ in 0..<2 { #expect(try sender.status("POST", ["Content-Length: 3"], "abc") == 200) }
        let fields = lengths.map { "Content-Length: \($0)" }
        #expect(try sender.status("POST", fields, "abcd") == 400)
        #expect(try sender.client.receiveToEnd() == "")
      }
      #expect(received.withLock { $0 } == Array(repeating: "abc", count: 6))
    }
  }
}
