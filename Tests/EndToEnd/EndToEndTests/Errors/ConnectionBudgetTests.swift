import Foundation
import Testing

/// More clients than the open-file limit of the process allows.
@Suite(.blocking)
struct ConnectionBudgetTests {
  /// A service that may open 600 files; 128 of them are for itself, 256 for ended connections.
  private func limited(_ flags: String...) throws -> ReactordProcess {
    try ReactordProcess(
      ["--log-format", "json"] + flags, under: ["/usr/bin/prlimit", "--nofile=600:600"])
  }

  /// The fields of the log line about the capacity.
  private func capacity(of server: ReactordProcess) throws -> JSON {
    let isComplete = eventually {
      server.standardError.contains(#""capacity""#) && server.standardError.hasSuffix("\n")
    }
    #expect(isComplete)
    let line = try #require(
      server.standardError.split(separator: "\n").first { $0.contains(#""capacity""#) })
    return try #require(try JSON(parsing: String(line))["fields"])
  }

  private func number(_ name: String, _ line: JSON) throws -> Int {
    try #require(line[name]?.string.flatMap { Int($0) })
  }

  @Test func `the number of connections that fit is logged at the start`() throws {
    let server = try limited()
    let line = try capacity(of: server)
    #expect(try number("reserved", line) == 16)
    let sum = try number("connections", line) + number("streams", line)
    #expect(sum == 600 - 16 - 128 - 256)
  }

  @Test func `a new connection closes the idlest one, and every client is served`() throws {
    let server = try limited()
    let limit = try number("connections", capacity(of: server))
    let first = try Connection(port: server.port)
    // `first` never sends a request, so it is the connection that has been idle for the longest
    // time.
    var clients: [HTTPClient] = []
    for _ in 0..<(2 * limit) {
      let client = server.client()
      #expect(try client.get("/healthz").status == 200)
      clients.append(client)
    }
    #expect(try first.someBytes(until: .now + Connection.timeout, "the close") == nil)
    #expect(try clients.last?.get("/healthz").status == 200)
    #expect(server.process.isRunning)
  }

  @Test func `while all connections wait, probes and administrators are served`() throws {
    let folder = try TemporaryFolder()
    try "token-of-an-administrator admin\ntoken-of-a-mere-reader read\n".write(
      toFile: folder["tokens"], atomically: true, encoding: .utf8)
    let rules = #"[{"allow":"act","to":"faulty/*","anonymous":true}]"#
    let server = try ReactordProcess(
      [
        "--limits-connections", "4", "--auth-tokens", folder["tokens"], "--auth-rules", rules,
      ], program: "faulty")
    let (admin, reader) = ("token-of-an-administrator", "token-of-a-mere-reader")
    // Effects that do not end keep their requests waiting.
    let waiting = try (0..<4).map { number in
      // Each has an address of its own, and so gets one of the connections.
      let client = HTTPClient(port: server.port, source: UInt8(number + 2))
      try client.start(
        "POST", "/v1/reactors/faulty/sessions/s\(number)/actions",
        ["Content-Type": "application/json", "Prefer": "wait=3600"], body: Array(#""wait""#.utf8))
      return client
    }
    #expect(
      eventually {
        let figures = try? server.client().get("/metrics", ["Authorization": "Bearer \(admin)"])
        return figures?.text.contains(#"reactord_effects_running{reactor="faulty"} 4"#) == true
      })
    #expect(try server.client().get("/healthz").status == 200)
    #expect(try server.client().get("/readyz").status == 200)
    let path = "/v1/reactors"
    #expect(try server.client().get(path, ["Authorization": "Bearer \(admin)"]).status == 200)
    let rejected = try? server.client().get(path, ["Authorization": "Bearer \(reader)"])
    #expect(rejected?.status != 200)
    withExtendedLifetime(waiting) {}
    server.process.kill()
  }

  @Test func `less memory than 32 MiB is rejected at the start`() throws {
    let process = try ReactordProcess.launch([
      "serve", "--store", "memory", "--listen", "127.0.0.1:0", "--limits-memory", "33554431",
      "--supervise", "false",
    ])
    #expect(try process.wait() == .code(78))
    #expect(process.standardError.contains("limits.memory: expected 0"))
  }

  @Test func `a client gets one body of limits.body, also above a quarter of limits.memory`() throws
  {
    let server = try ReactordProcess("--limits-memory", "33554432", "--limits-body", "9000000")
    let session = server.session(of: "counter")
    for _ in 0..<3 {
      let large = #""increase""# + String(repeating: " ", count: 8_999_990)
      #expect(try session.post(large).status == 200)
    }
    try expectProblem(
      try session.post(#""increase""# + String(repeating: " ", count: 9_000_000)), 413,
      "body-too-large")
    #expect(try session.state().json["value"] == 3)
  }

  @Test func `a token is checked before the body is read`() throws {
    let folder = try TemporaryFolder()
    try "token-of-an-administrator admin\n".write(
      toFile: folder["tokens"], atomically: true, encoding: .utf8)
    let server = try ReactordProcess("--auth-tokens", folder["tokens"])
    let (response, connection) = try server.client().raw(
      "POST /v1/reactors/counter/sessions/a/actions HTTP/1.1\r\nHost: localhost\r\n"
        + "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n", method: "POST")
    try expectProblem(response, 401, "unauthorized")
    #expect(try connection.someBytes(until: .now + Connection.timeout, "the close") == nil)
  }
}
