import Foundation
import Testing

/// One client beyond a bound that clients share, beside others, whose requests are never rejected.
@Suite(.blocking)
struct ShareTests {
  /// How a client is known.
  enum Identity: CaseIterable, Sendable {
    /// By the address of its connections.
    case address
    /// By the address that a trusted proxy forwards: all connections have one address.
    case forwarded
    /// By its principal: all connections have one address.
    case principal
  }

  private struct Service {
    let server: ReactordProcess
    let identity: Identity
    private let folder: TemporaryFolder

    init(_ identity: Identity, _ flags: String..., program: String? = nil) throws {
      self.identity = identity
      folder = try TemporaryFolder()
      let tokens = (1...9).map { "token-of-client-number-\($0) admin as=client-\($0)\n" }.joined()
      try tokens.write(toFile: folder["tokens"], atomically: true, encoding: .utf8)
      let identifying: [String] =
        switch identity {
        case .address: []
        case .forwarded: ["--http-proxies", "127.0.0.1"]
        case .principal: ["--auth-tokens", folder["tokens"]]
        }
      if let program {
        server = try ReactordProcess(flags + identifying, program: program)
      } else {
        server = try ReactordProcess(flags + identifying)
      }
    }

    func client(_ number: UInt8) -> HTTPClient {
      HTTPClient(port: server.port, source: identity == .address ? number : nil)
    }

    func headers(_ number: UInt8, _ others: [String: String] = [:]) -> [String: String] {
      let own: [String: String] =
        switch identity {
        case .address: [:]
        case .forwarded: ["X-Forwarded-For": "192.0.2.\(number)"]
        case .principal: ["Authorization": "Bearer token-of-client-number-\(number)"]
        }
      return own.merging(others) { $1 }
    }
  }

  private static let json = ["Content-Type": "application/json"]
  private static let sessions = "/v1/reactors/counter/sessions"

  /// Checks that a problem names the bound and the share.
  private func expectRejection(_ response: HTTPResponse, _ status: Int, naming setting: String)
    throws
  {
    let problem = try expectProblem(
      response, status, status == 429 ? "rate-limited" : "unavailable")
    let detail = problem["detail"]?.string ?? ""
    #expect(detail.contains(setting), "\(detail)")
    #expect(
      detail.lowercased().contains("your share") || detail.contains("you have your share"),
      "\(detail)")
    #expect(response["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
  }

  @Test(arguments: Identity.allCases)
  func `unfinished bodies of one client reject no body of others`(identity: Identity) throws {
    let service = try Service(
      identity, "--limits-memory", "33554432", "--limits-body", "419430")
    let body = [UInt8](repeating: 32, count: 419_429)
    var unfinished: [Connection] = []
    for number in 0..<21 {
      let connection = try Connection(
        port: service.server.port, source: identity == .address ? 2 : nil)
      var head = "POST \(Self.sessions)/a\(number)/actions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
      head += "Content-Type: application/json\r\nContent-Length: 419430\r\n"
      for (name, value) in service.headers(2) { head += "\(name): \(value)\r\n" }
      try connection.send(Array((head + "\r\n").utf8) + body)
      unfinished.append(connection)
      let other = UInt8(3 + number % 4)
      let response = try service.client(other).send(
        "POST", Self.sessions + "/b\(other)/actions", service.headers(other, Self.json),
        body: Array(#""increase""#.utf8) + body.dropFirst(20))
      #expect(response.status == 200)
    }
    var statuses: [Int: Int] = [:]
    for connection in unfinished {
      // A rejected one has its response already.
      try? connection.send([32])
      let reader = ResponseReader(connection: connection)
      var response = try reader.head(until: .now + Connection.timeout)
      let framing = reader.framing(of: response, to: "POST")
      response.body = try reader.body(framing, until: .now + Connection.timeout)
      statuses[response.status, default: 0] += 1
      if response.status == 503 { try expectRejection(response, 503, naming: "limits.memory") }
    }
    // Bodies of 5 % each: half of them fit into the share, and are no JSON. The bodies of others count as well.
    #expect((8...10).contains(statuses[400] ?? 0), "\(statuses)")
    #expect(statuses[503] == 21 - (statuses[400] ?? 0))
  }

  @Test(arguments: [Identity.address, .forwarded])
  func `slow bodies of one client leave connections for others`(identity: Identity) throws {
    let service = try Service(identity, "--limits-connections", "40")
    var slow: [HTTPClient] = []
    for _ in 0..<42 {
      let client = service.client(2)
      try client.start(
        "POST", Self.sessions + "/a/actions",
        service.headers(2, Self.json.merging(["Content-Length": "10"]) { $1 }))
      slow.append(client)
    }
    for other: UInt8 in 3...7 {
      let client = service.client(other)
      for _ in 0..<4 {
        #expect(try client.get(Self.sessions, service.headers(other)).status == 200)
      }
    }
    let rejected = service.client(2)
    let response = try rejected.send(
      "POST", Self.sessions + "/a/actions", service.headers(2, Self.json), body: [34])
    try expectRejection(response, 429, naming: "limits.connections")
    withExtendedLifetime(slow) {}
  }

  @Test(arguments: Identity.allCases)
  func `sessions of one client reject neither new nor stored sessions of others`(
    identity: Identity
  ) throws {
    let service = try Service(identity, "--sessions-limit", "100", program: "adjustable")
    let other = service.client(3)
    for number in 0..<4 {
      let path = Self.sessions + "/stored-\(number)/actions"
      let response = try other.send(
        "POST", path, service.headers(3, Self.json), body: Array(#""increase""#.utf8))
      #expect(response.status == 200)
    }
    let attacker = service.client(2)
    for number in 0..<105 {
      // The idle sessions of the client are evicted at once.
      let response = try attacker.send(
        "PUT", Self.sessions + "/a\(number)", service.headers(2))
      #expect(response.status == 201)
    }
    for number in 0..<4 {
      let state = try other.get(
        Self.sessions + "/stored-\(number)/state", service.headers(3))
      #expect(try state.json["value"] == 1)
      let made = try other.send("PUT", Self.sessions + "/new-\(number)", service.headers(3))
      #expect(made.status == 201)
    }
    // Sessions with streams are in use. Beyond the share of the client, a further one is rejected.
    let streams = try (0..<55).map { number in
      try EventStream(
        port: service.server.port, Self.sessions + "/a\(number)/events", service.headers(2),
        source: identity == .address ? 2 : nil)
    }
    let rejected = try attacker.send("PUT", Self.sessions + "/one-more", service.headers(2))
    try expectRejection(rejected, 503, naming: "sessions in memory")
    #expect(
      try other.send("PUT", Self.sessions + "/last", service.headers(3)).status == 201)
    withExtendedLifetime(streams) {}
  }

  @Test func `an idempotency key belongs to its principal`() throws {
    let service = try Service(.principal)
    func increase(_ number: UInt8) throws -> HTTPResponse {
      try service.client(number).send(
        "POST", Self.sessions + "/keys/actions",
        service.headers(number, Self.json.merging(["Idempotency-Key": "k"]) { $1 }),
        body: Array(#""increase""#.utf8))
    }
    #expect(try increase(2).json["value"] == 1)
    let replayed = try increase(2)
    #expect(try replayed.json["value"] == 1)
    #expect(replayed["Idempotent-Replayed"] != nil)
    let other = try increase(3)
    #expect(try other.json["value"] == 2)
    #expect(other["Idempotent-Replayed"] == nil)
  }

  @Test(arguments: Identity.allCases)
  func `endless effects of one client reject no effect of others`(identity: Identity) throws {
    let service = try Service(identity, program: "faulty")
    let attacker = service.client(2)
    let waiting = Array(
      ("[" + Array(repeating: #""wait""#, count: 1000).joined(separator: ",") + "]").utf8)
    let headers = service.headers(2, Self.json.merging(["Prefer": "respond-async"]) { $1 })
    for number in 0..<11 {
      let response = try attacker.send(
        "POST", "/v1/reactors/faulty/sessions/a\(number)/actions", headers, body: waiting)
      #expect(response.status == 202)
    }
    let rejected = try attacker.send(
      "POST", "/v1/reactors/faulty/sessions/last/actions", service.headers(2, Self.json),
      body: Array(#""wait""#.utf8))
    #expect(rejected.status == 503)
    #expect(try rejected.json["detail"]?.string?.contains("share") == true)
    for other: UInt8 in 3...6 {
      let response = try service.client(other).send(
        "POST", "/v1/reactors/faulty/sessions/b\(other)/actions",
        service.headers(other, Self.json.merging(["Prefer": "respond-async"]) { $1 }),
        body: Array(#""wait""#.utf8))
      #expect(response.status == 202)
    }
    service.server.process.kill()
  }

  @Test(arguments: Identity.allCases)
  func `failed requests of one client cause few log lines, and each has at most one`(
    identity: Identity
  ) throws {
    let service = try Service(identity, "--log-level", "warning")
    let start = ContinuousClock.now
    let blank = Array(repeating: #"{"join":""}"#, count: 20).joined(separator: ",")
    // No request waits for the actions, so that the failures are warnings.
    func post(_ number: UInt8, _ body: String, to session: String) throws {
      let response = try service.client(number).send(
        "POST", "/v1/reactors/chat/sessions/\(session)/actions",
        service.headers(number, Self.json.merging(["Prefer": "respond-async"]) { $1 }),
        body: Array(body.utf8))
      #expect(response.status == 202)
    }
    for _ in 0..<60 { try post(2, "[\(blank)]", to: "greedy") }
    try post(3, #"{"join":""}"#, to: "other")
    #expect(eventually { service.server.standardError.contains("session=other") })
    let lines = service.server.standardError.split(separator: "\n")
      .count { $0.contains("session=greedy") }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    #expect(lines > 0)
    #expect(Double(lines) <= 10 * (seconds + 1) + 1, "\(lines) lines in \(seconds) s")
  }
}
