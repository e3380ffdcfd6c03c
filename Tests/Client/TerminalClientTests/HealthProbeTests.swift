import ClientCore
import Glibc
import TestSupport
import Testing

@testable import TerminalClient

struct HealthProbeTests {
  @Test(arguments: [
    ("http://127.0.0.1:8080", "127.0.0.1:8080", "/healthz"),
    ("http://127.0.0.1:8080/", "127.0.0.1:8080", "/healthz"),
    ("http://localhost", "localhost:80", "/healthz"),
    ("http://[::1]/readyz?x", "[::1]:80", "/readyz?x"),
    ("https://localhost", "localhost:443", "/healthz"),
  ])
  func `a URL is parsed`(_ url: String, _ address: String, _ path: String) throws {
    let probe = try #require(HealthProbe(url: url))
    #expect(probe.address.description == address)
    #expect(probe.path == path)
  }

  @Test(arguments: [
    "", "localhost", "ftp://localhost", "http://", "https://", "http:///healthz",
    "http://localhost:x/",
    "http://localhost/a b", "http://localhost/\r\nX: y", "http://a@b/",
  ])
  func `an invalid URL is rejected`(_ url: String) {
    #expect(HealthProbe(url: url) == nil)
  }

  @Test func `a server that responds with 200 is healthy`() throws {
    try withServer(responding: "HTTP/1.1 200 OK\r\n\r\n") { probe in try probe.execute(timeout: 600)
    }
  }

  @Test(arguments: [
    (
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
      "/healthz responded with the status 503"
    ),
    ("220 mail.example.org\r\n", " does not respond with HTTP"),
    ("", " does not respond with HTTP"),
    (String(repeating: "x", count: 100_000), " does not respond with HTTP"),
  ])
  func `any other response is a failure`(_ response: String, _ reason: String) throws {
    try withServer(responding: response) { probe in
      #expect(throws: CommandFailure("\(probe.address)\(reason)", exitCode: 1)) {
        try probe.execute(timeout: 600)
      }
    }
  }

  @Test func `a connection that is not accepted is a failure`() throws {
    let (descriptor, port) = try LoopbackSocket.reserved()
    defer { close(descriptor) }
    let probe = HealthProbe(listen: ServerAddress(host: "127.0.0.1", port: port))
    #expect(
      throws: CommandFailure("\(probe.address) does not accept connections", exitCode: 1)
    ) {
      try probe.execute()
    }
  }

  /// Runs `body` against a socket that sends `response` on its first connection and closes it.
  private func withServer(responding response: String, _ body: (HealthProbe) throws -> Void) throws
  {
    let socket = try ListeningSocket()
    defer { socket.close() }
    socket.serveOnce(response)
    try body(HealthProbe(listen: socket.address))
  }
}
