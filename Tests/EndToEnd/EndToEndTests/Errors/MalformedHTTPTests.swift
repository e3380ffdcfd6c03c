import Testing

/// Requests that are not HTTP.
@Suite(.blocking)
struct MalformedHTTPTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "counter")
  }

  @Test(arguments: [
    "GET /healthz HTTP/1.1\r\n\r\n",
    "POST /v1/reactors/counter/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
    "POST /v1/reactors/counter/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    "POST /v1/reactors/counter/sessions HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Length: 99999999999999999999999\r\n\r\n",
    "POST /v1/reactors/counter/sessions HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
  ])
  func `invalid HTTP gets a 4xx and a close`(request: String) throws {
    let (response, connection) = try session.client.raw(request)
    #expect((400...499).contains(response.status))
    while try connection.someBytes(until: .now + Connection.timeout, "the close") != nil {}
    #expect(try session.client.get("/healthz").status == 200)
  }

  @Test(arguments: [
    "\r\n\r\n\r\n\r\n", "GET\r\n\r\n", "GET /healthz\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n",
    "GET /healthz HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "GET  /healthz  HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost a\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n broken: folding\r\n\r\n",
    "POST /v1/reactors/counter/sessions/x/actions HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    "POST /v1/reactors/counter/sessions/x/actions HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc",
  ])
  func `malformed requests do not end the service`(request: String) throws {
    let connection = try Connection(port: server.port)
    try connection.send(request)
    connection.finishSending()
    // The service must respond or close: the connection must not hang.
    while let bytes = try connection.someBytes(until: .now + Connection.timeout, "an end") {
      #expect(!bytes.isEmpty)
    }
    #expect(try session.client.get("/healthz").status == 200)
  }

  @Test func `requests that end in the middle have no effect`() throws {
    for _ in 0..<20 {
      let connection = try Connection(port: server.port)
      try connection.send(
        "POST \(session.path)/actions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n")
      connection.abort()
    }
    #expect(try session.state().text == #"{"value":0}"#)
  }

  @Test func `a request that arrives byte by byte is accepted`() throws {
    let connection = try Connection(port: server.port)
    for byte in "GET \(session.path)/state HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8 {
      try connection.send([byte])
    }
    let head = try ResponseReader(connection: connection).head(until: .now + Connection.timeout)
    #expect(head.status == 200)
  }

  @Test func `pipelined requests get their responses in order`() throws {
    let connection = try Connection(port: server.port)
    let requests = ["/healthz", "/nothing", session.path].map {
      "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }
    try connection.send(requests.joined())
    let reader = ResponseReader(connection: connection)
    let deadline = ContinuousClock.now + Connection.timeout
    for status in [200, 404, 200] {
      let head = try reader.head(until: deadline)
      #expect(head.status == status)
      _ = try reader.body(reader.framing(of: head, to: "GET"), until: deadline)
    }
  }

  @Test(arguments: ["%", "a=%zz", "select=%ff", "version=%31%", "&&&=&", "?", "a=b=c"])
  func `a malformed query is 400 or ignored`(query: String) throws {
    let response = try session.state("?" + query)
    #expect([200, 400].contains(response.status))
    if response.status == 400 { try expectProblem(response, 400, "invalid-parameter") }
  }

  @Test func `a target in absolute form is accepted`() throws {
    let (response, _) = try session.client.raw(
      "GET http://127.0.0.1:\(server.port)/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(response.status == 200)
  }

  @Test func `OPTIONS of the whole server gets a response`() throws {
    let (response, _) = try session.client.raw("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect([200, 204].contains(response.status))
  }
}
