import Testing

/// Requests that a proxy in front of the service could interpret differently, as bytes on a socket.
///
/// Each request gets exactly one response and a close, and no bytes after the violation are
/// executed.
@Suite(.blocking)
struct RequestSmugglingTests {
  private let server: ReactordProcess
  private let session: SessionClient

  init() throws {
    server = try ReactordProcess("--limits-body", "1000")
    session = server.session(of: "counter")
  }

  /// A request that increases the counter, as a client would smuggle it.
  private var smuggled: String {
    "POST \(session.path)/actions HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n\"increase\""
  }

  /// The bytes that the service sends until it closes the connection.
  private func everything(after request: String) throws -> String {
    let connection = try Connection(port: server.port)
    try connection.send(request)
    var bytes: [UInt8] = []
    while let more = try connection.someBytes(until: .now + Connection.timeout, "the close") {
      bytes += more
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func expectOne(
    _ status: Int, to request: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let received = try everything(after: request)
    #expect(received.hasPrefix("HTTP/1.1 \(status) "), sourceLocation: sourceLocation)
    #expect(
      received.split(separator: "HTTP/1.1 ").count == 1, "\(received)",
      sourceLocation: sourceLocation)
    #expect(received.contains("Connection: close"), sourceLocation: sourceLocation)
    #expect(try session.state().text == #"{"value":0}"#, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n: x\r\nContent-Length: 500\r\n\r\n",
    "GET /healthz\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET\0/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX\0: a\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n folded\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length : 500\r\n\r\n",
    "GET /healthz HTTP/1.1\nHost: localhost\n\n",
    "POST /v1/tickets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n",
    "POST /v1/tickets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
      + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /v1/tickets HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
  ])
  func `a head that is not RFC 9112 gets one 400 and a close`(head: String) throws {
    try expectOne(400, to: head + smuggled)
  }

  @Test(arguments: [
    "1\n1\r\n0\r\n\r\n", "1\r\n1\n0\r\n\r\n", "1\r\n1\r\n0\n\r\n", "1\r\n1\r\n0\r\n\n",
    "1\r\n1\r\n0\r\nX: a\nY: b\r\n\r\n", "1;a=\nb\r\n1\r\n0\r\n\r\n", "-1\r\n", "0x1\r\n1\r\n",
    "FFFFFFFFFFFFFFFFF\r\n", "1 \r\n1\r\n0\r\n\r\n", "1\r\n123\r\n0\r\n\r\n",
  ])
  func `a chunk that is not RFC 9112 gets one 400 and a close`(chunks: String) throws {
    let head =
      "POST \(session.path)/actions HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    try expectOne(400, to: head + chunks + smuggled)
  }

  @Test func `a body above the limit gets one 413 and a close`() throws {
    let body = String(repeating: " ", count: 1001)
    let fields = "Host: localhost\r\nContent-Type: application/json\r\n"
    let head = "POST \(session.path)/actions HTTP/1.1\r\n\(fields)"
    try expectOne(413, to: head + "Content-Length: 1001\r\n\r\n" + body)
    try expectOne(
      413, to: head + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n\(body)\r\n0\r\n\r\n" + smuggled)
  }

  @Test func `a head above the limit gets one 431 and a close`() throws {
    let long = String(repeating: "x", count: 17_000)
    try expectOne(
      431, to: "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\n\r\n" + smuggled)
    try expectOne(431, to: "GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n" + smuggled)
    let fields = String(repeating: "A: b\r\n", count: 3_000)
    try expectOne(431, to: "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n" + smuggled)
  }
}
