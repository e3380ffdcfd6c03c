import Testing

@testable import ReactorService

struct HealthProbeRunTests {
  @Test func `a daemon that answers 200 is healthy`() throws {
    try withServer(answering: "HTTP/1.1 200 OK\r\n\r\n") { probe in try probe.run() }
  }

  @Test(arguments: [
    ("HTTP/1.1 503 Service Unavailable\r\n\r\n", "/healthz answered 503"),
    ("220 mail.example.org\r\n", " did not answer in HTTP"),
    ("", " did not answer in HTTP"),
    (String(repeating: "x", count: 5_000), " did not answer in HTTP"),
  ])
  func `any other answer is told`(_ answer: String, _ reason: String) throws {
    try withServer(answering: answer) { probe in
      #expect(throws: HealthProbe.Failure(reason: "\(probe.address)\(reason)")) {
        try probe.run()
      }
    }
  }

  @Test func `nobody there is told`() throws {
    let socket = try ListeningSocket()
    let probe = HealthProbe(listen: socket.address)
    socket.close()
    #expect(
      throws: HealthProbe.Failure(reason: "\(probe.address) does not accept connections")
    ) {
      try probe.run()
    }
  }

  /// Runs `body` against a socket whose first connection is given `answer` and closed.
  private func withServer(answering answer: String, _ body: (HealthProbe) throws -> Void) throws {
    let socket = try ListeningSocket()
    defer { socket.close() }
    socket.serveOnce(answer)
    try body(HealthProbe(listen: socket.address))
  }
}
