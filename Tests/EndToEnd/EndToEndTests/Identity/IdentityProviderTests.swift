import Foundation
import Glibc
import PublicTestData
import Synchronization
import Testing

/// The service with the tokens and keys of an independent library.
@Suite(
  .blocking, .enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct IdentityProviderTests {
  private let folder: TemporaryFolder
  private let provider: IdentityProvider
  private let server: ReactordProcess
  private let session: SessionClient

  init() throws {
    folder = try TemporaryFolder()
    provider = try IdentityProvider()
    try Self.write(provider.keys(), to: folder["keys.json"])
    server = try ReactordProcess(
      "--auth-jwt-keys", folder["keys.json"], "--auth-jwt-audience", "cart", "--auth-rules",
      #"[{"allow":"manage","to":"counter/{sub}"}]"#)
    session = SessionClient(server.client(), "/v1/reactors/counter/sessions/ada")
  }

  private static func write(_ text: String, to path: String) throws {
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  @Test func `a user acts in their own session, and the log has their name`() throws {
    let ada = try provider.token("sub=ada").asBearer
    let eve = try provider.token("sub=eve").asBearer
    #expect(try session.post(#""increase""#, ada).text == #"{"value":1}"#)
    #expect(try session.log("", ada).json.array?.first?["by"] == "ada")
    try expectProblem(try session.state("", eve), 403, "forbidden")
    try expectProblem(try session.post(#""increase""#, eve), 403, "forbidden")
    #expect(try session.client.get(session.siblings, eve).text == #"{"sessions":[]}"#)
    #expect(try session.client.get(session.siblings, ada).text.contains(#""id":"ada""#))
    let wrong = try session.state("", provider.token("sub=ada&aud=another").asBearer)
    try expectProblem(wrong, 401, "unauthorized")
    #expect(wrong["WWW-Authenticate"]?.contains("audience") == true)
  }

  @Test func `a stream ends with the token, also with several sessions and with a ticket`() throws {
    let (token, streams) = try provider.streams(of: session, with: "sub=ada")
    for stream in streams {
      var last: ServerSentEvent?
      while let event = try stream.nextEvent() { last = event }
      #expect(last?.event == "expired")
    }
    try expectProblem(try session.state("", token), 401, "unauthorized")
  }

  @Test func `keys rotate under load without a failed request`() throws {
    let first = try provider.token("sub=ada").asBearer
    let current = Mutex(first)
    let isDone = Atomic(false)
    let requests = Atomic(0)
    let stream = try session.events("", first)
    let load = Watched<Result<[Int], any Error>?>(nil)
    Thread.detachNewThread { [server, path = session.path] in
      let result = Result {
        try concurrently(2) { _ in
          let client = SessionClient(server.client(), path)
          var failures = 0
          while !isDone.load(ordering: .relaxed) {
            let response = try client.post(#""increase""#, current.withLock { $0 })
            requests.add(1, ordering: .relaxed)
            if response.status != 200 { failures += 1 }
          }
          return failures
        }
      }
      load.change { $0 = result }
    }
    for _ in 0..<3 {
      let seen = requests.load(ordering: .relaxed)
      #expect(eventually { requests.load(ordering: .relaxed) > seen + 20 })
      // The service knows the new key before tokens use it, as providers recommend.
      try provider.rotate()
      let reloads = self.reloads
      try Self.write(provider.keys(), to: folder["keys.json"])
      #expect(eventually { self.reloads > reloads })
      let next = try provider.token("sub=ada").asBearer
      current.withLock { $0 = next }
    }
    isDone.store(true, ordering: .relaxed)
    let failures = load.first(within: .seconds(1200)) { $0 }
    #expect(try failures?.get() == [0, 0])

    // The key of the stream's token is removed: the stream ends, and its token is rejected.
    try provider.retire()
    try Self.write(provider.keys(), to: folder["keys.json"])
    var last: ServerSentEvent?
    while let event = try stream.nextEvent() { last = event }
    #expect(last?.event == "expired")
    try expectProblem(try session.state("", first), 401, "unauthorized")
    #expect(try session.state("", current.withLock { $0 }).status == 200)
  }

  /// The number of times that changed files were applied, plus one.
  private var reloads: Int {
    server.standardError.components(separatedBy: "credentials reloaded").count
  }

  @Test func `a damaged key file is reported and the former keys stay`() throws {
    let token = try provider.token("sub=ada").asBearer
    try Self.write(#"{"keys":["#, to: folder["keys.json"])
    #expect(eventually { server.standardError.contains("credentials not reloaded") })
    #expect(server.standardError.contains("auth.jwt.keys"))
    #expect(try session.state("", token).status == 200)
    server.process.signal(SIGHUP)
    #expect(eventually { server.standardError.contains("configuration not reloaded") })
    #expect(try session.state("", token).status == 200)
    try Self.write(provider.keys(), to: folder["keys.json"])
    #expect(eventually { server.standardError.contains("credentials reloaded") })
  }

  @Test(arguments: [
    (["--auth-jwt-keys", "KEYS"], "auth.jwt.keys"),
    (["--auth-jwt-keys", "/nonexistent/keys"], "auth.jwt.keys"),
    (["--auth-rules", #"[{"allow":"own"}]"#], "rule 0"),
    (["--auth-rules", #"[{"allow":"act","to":"cart"}]"#], "rule 0"),
    (["--auth-rules", "{"], "auth-rules"),
    (["--auth-cookie", "session"], "auth.cookie"),
    (["--auth-jwt-issuer", "x"], "auth.jwt.issuer"),
  ])
  func `malformed keys, rules and patterns prevent the start with one line`(
    flags: [String], expected: String
  ) throws {
    try Self.write("not a key", to: folder["broken"])
    let flags = flags.map { $0 == "KEYS" ? folder["broken"] : $0 }
    let process = try ReactordProcess.launch(
      ["serve", "--store", "memory", "--listen", "127.0.0.1:0"] + flags)
    #expect(try process.wait() == .code(78))
    let lines = process.standardError.split(separator: "\n")
    #expect(lines.count == 1, "\(process.standardError)")
    #expect(lines.first?.contains(expected) == true, "\(process.standardError)")
  }
}
