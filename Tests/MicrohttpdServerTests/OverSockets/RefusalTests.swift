internal import MicrohttpdServer
internal import ReactorHTTP
internal import Testing

extension OverSockets {
  @Suite(.onEitherThread) struct Refusals {
    private let limits = MicrohttpdServer.Settings.Limits(body: 1000, headers: 2000)

    @Test func `a body that is announced too large is refused before it is sent`() throws {
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

    @Test func `a body at the limit is taken`() throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request("POST", "/", body: String(repeating: "a", count: 1000))
      #expect(try client.receiveResponse().status == 200)
    }

    @Test func `a client that sends all of a body too large first still reads why`() throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      let size = 8 << 20
      try client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
      try client.send([UInt8](repeating: 97, count: size))
      let response = try client.receiveResponse()
      #expect(response.status == 413)
      #expect(response.body == "body over 1000")
    }

    @Test func `a chunked body is refused when it passes the limit`() throws {
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
    func `headers over the limit are refused by the responder`(size: Int) throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request("GET", "/", headers: ["X: " + String(repeating: "a", count: size)])
      let response = try client.receiveResponse()
      #expect(response.status == 431)
      #expect(response.body == "headers over 2000")
    }

    @Test func `a target over the limit is refused, too`() throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request("GET", "/" + String(repeating: "a", count: 2500))
      #expect(try client.receiveResponse().status == 431)
    }

    @Test func `headers far over the limit are refused by the parser`() throws {
      let server = try TestServer(settings: .init(limits: limits))
      let client = try server.client()
      try client.request("GET", "/", headers: ["X: " + String(repeating: "a", count: 60_000)])
      // To the end: a reset would throw, and could have taken the answer away.
      #expect(try client.receiveToEnd().hasPrefix("HTTP/1.1 431 "))
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
    ])
    func `framing that two parsers could read differently is a 400 and a close`(
      request: String
    ) throws {
      let server = try TestServer()
      let client = try server.client()
      try client.send(request)
      #expect(try client.receiveToEnd().hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    }

    @Test(arguments: [
      "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
      " / HTTP/1.1\r\n\r\n", "\0\0\0\r\n\r\n", "GET  HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\r\n: x\r\n\r\n", "GET / HTTP/1.1\r\n folded\r\n\r\n",
    ])
    func `nonsense does not harm the server`(request: String) throws {
      let server = try TestServer(
        settings: .init(timeouts: .init(head: .seconds(1), body: .seconds(1))))
      let client = try server.client()
      try client.send(request)
      client.endSending()
      _ = try? client.receiveToEnd()
      let next = try server.client()
      try next.request("GET", "/after")
      #expect(try next.receiveResponse().status == 200)
    }

    @Test func `refused connections leave nothing behind`() throws {
      let server = try TestServer(settings: .init(limits: limits, linger: .milliseconds(20)))
      for _ in 1...50 {
        let client = try server.client()
        try client.request("POST", "/", headers: ["Content-Length: 5000"])
        #expect(try client.receiveResponse().status == 413)
      }
      #expect(server.settles())
    }
  }
}
