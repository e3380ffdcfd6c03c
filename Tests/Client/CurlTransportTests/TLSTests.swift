import ClientCore
import CurlTransport
import Testing

/// `https`: certificates and versions of HTTP.
@Suite(.timeLimit(.minutes(60))) struct TLSTests {
  private func transport(
    _ port: UInt16, host: String = "127.0.0.1", trusting certificate: String?
  ) -> CurlTransport {
    var limits = CurlTransport.Limits()
    limits.transfers.certificates = certificate
    let address = ServerAddress(host: host, port: port)
    return CurlTransport(to: HTTPOrigin(address, isSecure: true), limits: limits)
  }

  @Test func `requests use HTTP/2, and a stream a connection of HTTP/1.1`() async throws {
    let server = try await TLSServer()
    let transport = transport(server.port, trusting: server.certificate)
    #expect(try await transport.body(request("GET", "a")) == "2.0 /a")
    let post = request("POST", "b", fields: [idempotencyKey], body: "{}")
    #expect(try await transport.body(post) == "2.0 /b")
    let bodies = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<50 {
        group.addTask { try await transport.body(request("GET", "\(number)")) }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(bodies == Set((0..<50).map { "2.0 /\($0)" }))
    var body: [UInt8] = []
    for await event in transport.events(request("GET", "c")) {
      switch event {
      case .head(let head): #expect(head.status == 200)
      case .bytes(let bytes): body += bytes
      case .end(let problem): #expect(problem == nil)
      }
    }
    #expect(String(decoding: body, as: UTF8.self) == "1.1 /c")
    transport.close()
  }

  @Test func `a certificate that is not trusted is named with the reason`() async throws {
    let server = try await TLSServer()
    for (certificates, host, reason) in [
      (nil, "127.0.0.1", "self-signed certificate"),
      ("/nonexistent.pem", "127.0.0.1", "/nonexistent.pem"),
      (server.certificate, "localhost", "localhost"),
    ] {
      let transport = transport(server.port, host: host, trusting: certificates)
      guard case .failure(let problem) = await transport.response(to: request()) else {
        Issue.record("the certificate is trusted")
        continue
      }
      #expect(problem.kind == .untrustedCertificate)
      #expect(problem.detail?.contains(reason) == true)
      transport.close()
    }
  }

  @Test func `a server without TLS is unreachable by https`() async throws {
    let server = try ScriptedServer { peer in
      peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      peer.waitForEnd()
    }
    let transport = transport(server.port, trusting: nil)
    #expect(await transport.kind(request()) == .unreachable)
    transport.close()
  }
}
