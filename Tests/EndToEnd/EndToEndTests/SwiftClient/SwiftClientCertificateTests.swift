import Foundation
import ReactorClient
import Testing

/// The Swift client and a server whose certificate no authority has signed.
@Suite(.blocking) struct SwiftClientCertificateTests {
  @Test func `a certificate that is not trusted is a problem that says what to do`() async throws {
    let folder = try TemporaryFolder()
    let openssl = "/usr/bin/openssl"
    let files = ["-key", folder["key.pem"], "-cert", folder["certificate.pem"]]
    let creation = try ChildProcess(
      openssl,
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1",
        "-keyout", files[1], "-out", files[3],
      ])
    #expect(try creation.wait() == .code(0))
    let process = try ChildProcess(
      openssl, ["s_server", "-accept", "127.0.0.1:0", "-www"] + files)
    try #require(process.output(contains: "ACCEPT 127.0.0.1:"))
    let port = try #require(
      process.standardOutput.split(separator: "ACCEPT 127.0.0.1:").last?.prefix { $0.isNumber })

    let client = ReactorServer(url: try #require(URL(string: "https://127.0.0.1:\(port)")))
    let counter = client.reactor(RemoteCounter.self, "counter", session: "x")
    let connection = Recorder(counter.connection)
    let status = try connection.first {
      if case .reconnecting = $0 { true } else { false }
    }
    guard case .reconnecting(let problem) = status else { return }
    #expect(problem.kind == .untrustedCertificate)
    #expect(problem.detail?.contains("self-signed certificate") == true)
    #expect(problem.detail?.contains("Install the certificate of its authority") == true)
    let rejection = await #expect(throws: Problem.self) { try await counter.state() }
    #expect(rejection?.kind == .untrustedCertificate)
  }
}
