import ClientCore
import TestSupport
import Testing

@testable import CurlTransport

/// The requests on the wire, and the life of connections.
@Suite(.timeLimit(.minutes(60))) struct ConnectionTests {
  @Test func `a request has its own fields, Host and the length of its body, and no others`()
    async throws
  {
    let server = try ScriptedServer { peer in
      while let request = peer.request() { peer.respond(request.head.joined(separator: "\n")) }
    }
    // Longer than a stall of the machine, so that the connection stays open.
    var limits = CurlTransport.Limits()
    limits.idle = sharedTimeout
    let transport = CurlTransport(
      to: HTTPOrigin(server.address, prefix: "/api/"), limits: limits)
    let host = "Host: \(server.address)"
    #expect(
      try await transport.body(
        request("GET", "v1/a/../b?c=d%20e", fields: [.init("Accept", "*/*")]))
        == "GET /api/v1/a/../b?c=d%20e HTTP/1.1\n\(host)\nAccept: */*")
    #expect(try await transport.body(request("DELETE")) == "DELETE /api/a HTTP/1.1\n\(host)")
    #expect(
      try await transport.body(
        request("PUT", fields: [.init("Empty", ""), .init("X", "é")], body: "{}"))
        == "PUT /api/a HTTP/1.1\n\(host)\nEmpty:\nX: é\nContent-Length: 2")
    #expect(
      try await transport.body(request("POST", body: ""))
        == "POST /api/a HTTP/1.1\n\(host)\nContent-Length: 0")
    // Without `Expect: 100-continue`, for which this server would not wait.
    let large = String(repeating: "x", count: 3_000_000)
    #expect(
      try await transport.body(request("POST", fields: [idempotencyKey], body: large))
        == "POST /api/a HTTP/1.1\n\(host)\nIdempotency-Key: k\nContent-Length: 3000000")
    #expect(server.connectionCount == 1)
    transport.close()
  }

  @Test func `connections are closed when the transport is idle, and opened again`() async throws {
    let script: ScriptedServer.Script = { peer in
      while peer.request() != nil { peer.respond("1") }
    }
    let server = try ScriptedServer(Array(repeating: script, count: 30))
    let transport = CurlTransport(server, idle: .zero)
    for number in 1...30 {
      #expect(try await transport.body(request()) == "1")
      try await wait { server.openCount == 0 }
      #expect(server.connectionCount == number)
    }
  }

  @Test func `a transport that is released closes its connections`() async throws {
    let server = try ScriptedServer(
      { peer in
        while peer.request() != nil { peer.respond("1") }
      }, { peer in peer.waitForEnd() })
    var transport = Optional(CurlTransport(server))
    #expect(try await transport?.body(request()) == "1")
    let end = transport?.events(request())
    try await wait { server.connectionCount == 2 }
    transport = nil
    for await event in try #require(end) {
      guard case .end(let problem) = event else { continue }
      #expect(problem?.kind == .unreachable)
    }
    try await wait { server.openCount == 0 }
  }

  @Test func `a response to a request that the server did not expect is ignored`() async throws {
    let server = try ScriptedServer(
      { peer in
        _ = peer.request()
        // One write, so that the client has both when it has the first.
        peer.send(
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 408 X\r\nContent-Length: 0\r\n\r\n"
        )
        peer.waitForEnd()
      },
      { peer in
        while peer.request() != nil { peer.respond("2") }
      })
    let transport = CurlTransport(server)
    #expect(try await transport.body(request()) == "1")
    #expect(try await transport.body(request()) == "2")
    transport.close()
  }

  @Test(arguments: [
    ("127.0.0.1:80", false), ("127.1.2.3:80", false), ("[::1]:80", false), ("localhost:80", false),
    ("LOCALHOST:80", false), ("unix:/run/a", false), ("127.example.org:80", true),
    ("10.0.0.1:80", true), ("localhost.example.org:80", true),
  ])
  func `addresses of this machine are reached without a proxy`(_ text: String, _ uses: Bool) throws
  {
    let address = try #require(ServerAddress(text))
    #expect(HTTPOrigin(address).usesProxies == uses)
    #expect(!HTTPOrigin(address, usesProxies: false).usesProxies)
  }

  @Test func `a URL has the scheme, the address and the prefix`() throws {
    let address = try #require(ServerAddress("[::1]:81"))
    #expect(HTTPOrigin(address).url("a?b") == "http://[::1]:81/a?b")
    #expect(
      HTTPOrigin(address, isSecure: true, prefix: "/p/").url("a") == "https://[::1]:81/p/a")
    #expect(HTTPOrigin(.unix(path: "/run/x")).url("a") == "http://localhost/a")
  }
}
