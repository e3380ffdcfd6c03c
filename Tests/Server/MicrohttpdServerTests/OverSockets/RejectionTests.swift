internal import MicrohttpdServer
internal import ReactorTransport
internal import Synchronization
internal import Testing

extension OverSockets {
  @Suite(.onEitherThread) struct Rejections {
    private let limits = MicrohttpdServer.Settings.Limits(body: 1000, headers: 2000)

    @Test func `an announced body above the limit is rejected before it is sent`() throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request(
        "POST", "/", headers: ["Content-Length: 1001", "Expect: 100-continue"])
      let response = try client.receiveResponse()
      #expect(response.status == 413)
      #expect(response.body == "body over 1000")
      #expect(response["connection"] == "close")
      #expect(try client.receiveToEnd() == "")
    }

    @Test func `a body at the limit is accepted`() throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request("POST", "/", body: String(repeating: "a", count: 1000))
      #expect(try client.receiveResponse().status == 200)
    }

    @Test func `a client that first sends all of a too large body can read the response`() throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      let size = 8 << 20
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
      try client.send([UInt8](repeating: 97, count: size))
      let response = try client.receiveResponse()
      #expect(response.status == 413)
      #expect(response.body == "body over 1000")
    }

    @Test func `a chunked body is rejected when it exceeds the limit`() throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request("POST", "/", headers: ["Transfer-Encoding: chunked"])
      try client.send("3e8\r\n" + String(repeating: "a", count: 1000) + "\r\n")
      try client.send("1\r\na\r\n")
      let response = try client.receiveResponse()
      #expect(response.status == 413)
      #expect(response.body == "body over 1000")
      try client.send("0\r\n\r\n")
      #expect(try client.receiveToEnd() == "")
      withExtendedLifetime(client) {}
    }

    @Test(arguments: [2_500, 20_000])
    func `headers above the limit get the responder's rejection`(size: Int) throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request("GET", "/", headers: ["X: " + String(repeating: "a", count: size)])
      let response = try client.receiveResponse()
      #expect(response.status == 431)
      #expect(response.body == "headers over 2000")
    }

    @Test func `a target above the limit is rejected, too`() throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request("GET", "/" + String(repeating: "a", count: 2500))
      #expect(try client.receiveResponse().status == 431)
    }

    @Test(arguments: [
      "X: " + String(repeating: "a", count: 60_000),
      "Cookie: " + String(repeating: "a;", count: 900),
    ])
    func `headers far over the limit get one 431 and a close`(header: String) throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request("GET", "/", headers: [header])
      // Read to the end of the connection: a reset would throw here, and a client could lose the
      // response.
      let response = try client.receiveToEnd()
      #expect(response.hasPrefix("HTTP/1.1 431 "))
      #expect(response.components(of: "HTTP/1.1").count == 2)
    }

    @Test(arguments: [
      "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length : 1\r\n\r\na",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost a\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\n: x\r\nContent-Length: 40\r\n\r\n"
        + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
      "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n folded\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\na\n0\n\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n",
      "nonsense\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
    ])
    func `a request that two parsers could read differently gets one 400 and a close`(
      request: String
    ) throws {
      let requests = Mutex<[String]>([])
      let server = try TestServer(
        responder: TestResponder { request, reply in
          requests.withLock { $0.append("\(request.path)") }
          reply(.text("ok"))
        })
      let client = try server.client()
      try client.send(request)
      let response = try client.receiveToEnd()
      #expect(response.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      #expect(response.components(of: "HTTP/1.1").count == 2, "\(response)")
      #expect(requests.withLock { $0 } == [])
    }

    @Test func `a violation that comes in a later packet gets one 400 and a close`() throws {
      let server = try TestServer()
      for request in ["GET / HTTP/1.1\r\nHost: a", "POST / HTTP/1.1\r\nHost: a\r\nContent-Le"] {
        let client = try server.client()
        try client.request("GET", "/before")
        #expect(try client.receiveResponse().status == 200)
        for byte in request.utf8 { try client.send([byte]) }
        try client.send("\n\n")
        let response = try client.receiveToEnd()
        #expect(response.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(response.components(of: "HTTP/1.1").count == 2, "\(response)")
      }
      #expect(server.becomesIdle())
    }

    @Test func `requests before a violation in one packet get their responses, then it closes`()
      throws
    {
      let server = try TestServer(settings: .init(linger: .milliseconds(20)))
      let client = try server.client()
      try client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /\0")
      let response = try client.receiveToEnd()
      #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(response.contains("Connection: close"))
      #expect(response.hasSuffix("GET /first ?nil false [] host=a"))
      #expect(server.becomesIdle())
    }

    @Test(arguments: [
      "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
      " / HTTP/1.1\r\n\r\n", "\0\0\0\r\n\r\n", "GET  HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\n: x\r\n\r\n", "GET / HTTP/1.1\r\n folded\r\n\r\n",
    ])
    func `malformed input does not harm the server`(request: String) throws {
      let server = try TestServer(
        settings: .init(timeouts: .init(head: .seconds(1), body: .seconds(1))))
      let client = try server.client()
      try client.send(request)
      client.endSending()
      _ = try? client.receiveToEnd()
      _ = try server.servedClient()
    }

    @Test func `rejected connections leave no resources behind`() throws {
      let server = try TestServer(settings: .init(limits: limits, linger: .milliseconds(20)))
      for _ in 1...50 {
        let client = try server.client()
        try client.request("POST", "/", headers: ["Content-Length: 5000"])
        #expect(try client.receiveResponse().status == 413)
      }
      #expect(server.becomesIdle())
    }
  }
}

extension String {
  /// The parts between the occurrences of a separator.
  fileprivate func components(of separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    return parts + [rest]
  }
}
