import Foundation
import Glibc
import Testing

/// Signals other than the first SIGTERM.
@Suite(.blocking)
struct SignalTests {
  private static let reader = "a-token-of-the-reader"
  private static let other = "a-token-of-another-reader"

  private func status(_ server: ReactordProcess, token: String) throws -> Int {
    try server.client().get("/v1/reactors", ["Authorization": "Bearer \(token)"]).status
  }

  @Test func `SIGHUP reloads the tokens`() throws {
    let folder = try TemporaryFolder()
    let tokens = folder["tokens"]
    try Data("\(Self.reader) read\n".utf8).write(to: URL(filePath: tokens))
    let file = folder["reactord.json5"]
    try Data("{ auth: { tokens: '\(tokens)' } }".utf8).write(to: URL(filePath: file))
    let server = try ReactordProcess("--config", file)
    #expect(try status(server, token: Self.reader) == 200)
    #expect(try status(server, token: Self.other) == 401)

    try Data("\(Self.other) read\n".utf8).write(to: URL(filePath: tokens))
    server.process.signal(SIGHUP)
    #expect(eventually { server.standardError.contains("configuration reloaded") })
    #expect(try status(server, token: Self.reader) == 401)
    #expect(try status(server, token: Self.other) == 200)
  }

  @Test func `SIGHUP with an invalid token file changes nothing`() throws {
    let folder = try TemporaryFolder()
    let tokens = folder["tokens"]
    try Data("\(Self.reader) read\n".utf8).write(to: URL(filePath: tokens))
    let server = try ReactordProcess("--auth-tokens", tokens)
    try Data("short read\n".utf8).write(to: URL(filePath: tokens))
    server.process.signal(SIGHUP)
    #expect(eventually { server.standardError.contains("configuration not reloaded") })
    #expect(try status(server, token: Self.reader) == 200)
  }

  @Test func `SIGHUP reloads the log level`() throws {
    let folder = try TemporaryFolder()
    let file = folder["reactord.json5"]
    try Data("{}".utf8).write(to: URL(filePath: file))
    let server = try ReactordProcess("--config", file)
    #expect(try server.client().get("/v1/reactors").status == 200)
    try Data("{ log: { level: 'debug' } }".utf8).write(to: URL(filePath: file))
    server.process.signal(SIGHUP)
    #expect(eventually { server.standardError.contains("configuration reloaded") })
    #expect(!server.standardError.contains("/v1/reactors"))
    #expect(try server.client().get("/v1/reactors").status == 200)
    #expect(eventually { server.standardError.contains("/v1/reactors") })
  }

  @Test func `SIGHUP with an invalid file changes nothing`() throws {
    let folder = try TemporaryFolder()
    let file = folder["reactord.json5"]
    try Data("{}".utf8).write(to: URL(filePath: file))
    let server = try ReactordProcess("--config", file)
    try Data("{ log: ".utf8).write(to: URL(filePath: file))
    server.process.signal(SIGHUP)
    #expect(eventually { server.standardError.contains("configuration not reloaded") })
    #expect(try server.client().get("/healthz").status == 200)
  }

  @Test func `SIGUSR1 and SIGUSR2 are ignored, SIGQUIT drains`() throws {
    let server = try ReactordProcess()
    for number in [SIGUSR1, SIGUSR2] { server.process.signal(number) }
    #expect(try server.client().get("/healthz").status == 200)
    server.process.signal(SIGQUIT)
    #expect(try server.process.wait() == .code(0))
    #expect(server.standardError.contains("draining"))
  }

  /// The turn blocks a request thread if the session is in memory, otherwise a background thread.
  @Test(arguments: [true, false])
  func `SIGTERM ends the process after the grace, even if a turn is running`(
    inMemory: Bool
  ) throws {
    // Repeat the attempt: the process ends although the thread that writes the log is not scheduled.
    let isLogged = try (0..<5).contains { _ in
      let server = try ReactordProcess("--shutdown-grace", "0.5", program: "faulty")
      let session = server.session(of: "faulty")
      if inMemory { try session.post(#"{"add":1}"#) }
      try session.client.start(
        "POST", session.path + "/actions", ["Content-Type": "application/json"],
        body: Array(#"{"block":{"seconds":3600}}"#.utf8))
      #expect(eventually { server.standardError.contains("blocked") })
      server.process.signal(SIGTERM)
      #expect(try server.process.wait() == .code(1))
      return server.standardError.contains("shutdown.grace has expired")
    }
    #expect(isLogged)
  }
}
