import Foundation
import Glibc
import PublicTestData
import Testing

/// The service with a webhook that decides, stalls, lies and fails.
@Suite(
  .blocking, .enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct WebhookServerTests {
  private static let secret = String(repeating: "s", count: 32)
  private static let ada = "token-of-the-user-ada".asBearer
  private static let eve = "token-of-the-user-eve".asBearer
  private static let root = "token-of-the-operator".asBearer

  private let folder: TemporaryFolder
  private let webhook: ChildProcess
  private let port: UInt16
  private let server: ReactordProcess
  private let session: SessionClient

  private static func start() throws -> (ChildProcess, UInt16) {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "webhook.py").path
    let process = try ChildProcess(
      PublicTestData.python.appending(path: "bin/python").path, ["-W", "ignore", script, secret])
    let port = process.firstLine().flatMap { UInt16($0) }
    return (process, try #require(port, "\(process.standardError)"))
  }

  init() throws {
    folder = try TemporaryFolder()
    (webhook, port) = try Self.start()
    try "\(Self.secret)\n".write(toFile: folder["secret"], atomically: true, encoding: .utf8)
    try """
    token-of-the-user-ada manage as=ada
    token-of-the-user-eve manage as=eve
    token-of-the-operator admin as=root
    """.write(toFile: folder["tokens"], atomically: true, encoding: .utf8)
    try #"""
    {"auth": {"tokens": "\#(folder["tokens"])", "webhook": {
      "url": "http://127.0.0.1:\#(port)/decide", "secret": "\#(folder["secret"])"}}}
    """#.write(toFile: folder["reactord.json5"], atomically: true, encoding: .utf8)
    server = try ReactordProcess("--config", folder["reactord.json5"])
    session = SessionClient(server.client(), "/v1/reactors/counter/sessions/ada")
  }

  /// Sets the response to the next questions.
  private func answer(_ json: String, at port: UInt16? = nil) throws {
    _ = try HTTPClient(port: port ?? self.port).send("POST", "/set", body: Array(json.utf8))
  }

  private func questions() throws -> [JSON] {
    try HTTPClient(port: port).get("/questions").json.array ?? []
  }

  @Test func `the webhook decides after the rules, and its decision is used for a while`() throws {
    let allow = #"{"body":"{\"allow\":true}","headers":{"Cache-Control":"max-age=600"}}"#
    try answer(allow)
    for value in 1...3 {
      let response = try whenDecided { try session.post(#""increase""#, Self.ada) }
      #expect(try response.json == ["value": .number(Double(value))], "\(response.text)")
    }
    var asked = try questions()
    // A question whose decision came too late is sent again.
    let isInTime = !server.standardError.contains("no decision of the webhook")
    #expect(asked.map { $0["right"] } == ["act", "read"] || !isInTime)
    #expect(asked.allSatisfy { $0["isSigned"] == true })
    #expect(asked.first?["actions"] == ["increase"])
    #expect(asked.first?["principal"] == "ada")
    try answer(#"{"body":"{\"allow\":false}"}"#)
    try expectProblem(try whenDecided { try session.state("", Self.eve) }, 403, "forbidden")
    #expect(try session.state("", Self.ada).status == 200)
    try expectProblem(try session.state(), 401, "unauthorized")
    #expect(try session.state("", Self.root).status == 200)
    asked = try questions()
    #expect(
      asked.count == 3 || server.standardError.contains("no decision of the webhook"))
  }

  @Test(arguments: [
    #"{"body":"{\"allow\":true}","status":500}"#, #"{"body":"{\"allow\":true}","status":403}"#,
    #"{"body":"{\"allow\":\"yes\"}"}"#, #"{"body":"allow"}"#, #"{"close":true}"#,
    #"{"body":"{\"allow\":true} ","times":100000}"#,
    #"{"body":"{\"allow\":true}","status":307,"headers":{"Location":"/decide"}}"#,
    #"{"body":"{\"allow\":true}","delay":30}"#,
  ])
  func `without a decision no client is let in, and administrators are`(answer text: String) throws
  {
    try answer(text)
    let response = try session.post(#""increase""#, Self.ada)
    try expectProblem(response, 503, "unavailable")
    #expect(response["Retry-After"] != nil)
    #expect(eventually { server.standardError.contains("no decision of the webhook") })
    #expect(try session.state("", Self.root).json == ["value": 0])
    try answer(#"{"body":"{\"allow\":true}"}"#)
    #expect(try eventually { try session.post(#""increase""#, Self.ada).status == 200 })
  }

  @Test func `a webhook that ends throws no client out before its decision ends`() throws {
    try answer(#"{"body":"{\"allow\":true}","headers":{"Cache-Control":"max-age=600"}}"#)
    #expect(try whenDecided { try session.post(#""increase""#, Self.ada) }.status == 200)
    let stream = try session.events("", Self.ada)
    #expect(try stream.nextEvent()?.json == ["value": 1])
    webhook.kill()
    #expect(try session.post(#""increase""#, Self.ada).status == 200)
    #expect(try stream.nextEvent()?.json == ["value": 2])
    #expect(
      try eventually { try session.state("", Self.eve).status == 503 })
  }

  @Test func `a stream ends when the webhook withdraws its permission`() throws {
    try answer(#"{"body":"{\"allow\":true}"}"#)
    #expect(try whenDecided { try session.state("", Self.ada) }.status == 200)
    let stream = try session.events("", Self.ada)
    #expect(try stream.nextEvent()?.json == ["value": 0])
    // The stream asks again before each decision ends, and continues.
    #expect(try eventually { try questions().count >= 3 })
    #expect(try session.post(#""increase""#, Self.root).status == 200)
    #expect(try stream.nextEvent()?.json == ["value": 1])
    try answer(#"{"body":"{\"allow\":false}"}"#)
    #expect(try stream.nextEvent()?.event == "expired")
    #expect(try stream.nextEvent() == nil)
  }

  @Test func `a reload with another webhook decides again on open streams`() throws {
    try answer(#"{"body":"{\"allow\":true}","headers":{"Cache-Control":"max-age=600"}}"#)
    #expect(try whenDecided { try session.state("", Self.ada) }.status == 200)
    let stream = try session.events("", Self.ada)
    #expect(try stream.nextEvent()?.json == ["value": 0])
    let (other, port) = try Self.start()
    try answer(#"{"body":"{\"allow\":false}"}"#, at: port)
    let file = folder["reactord.json5"]
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("127.0.0.1:\(self.port)", with: "127.0.0.1:\(port)")
      .write(toFile: file, atomically: true, encoding: .utf8)
    server.process.signal(SIGHUP)
    #expect(try stream.nextEvent()?.event == "expired")
    try expectProblem(try whenDecided { try session.state("", Self.ada) }, 403, "forbidden")
    other.kill()
  }

  @Test(arguments: [
    (["--auth-webhook-url", "https://app.example/decide"], "auth.issuers"),
    (
      ["--auth-tokens", "TOKENS", "--auth-webhook-url", "https://app.example/decide"],
      "auth.webhook.secret"
    ),
    (
      ["--auth-tokens", "TOKENS", "--auth-webhook-url", "http://app.example/decide"],
      "auth.webhook.url"
    ),
    (["--auth-tokens", "TOKENS", "--auth-webhook-secret", "TOKENS"], "auth.webhook.url"),
  ])
  func `a webhook that is not safe prevents the start`(flags: [String], expected: String) throws {
    let flags = flags.map { $0 == "TOKENS" ? folder["tokens"] : $0 }
    let process = try ReactordProcess.launch(
      ["serve", "--store", "memory", "--listen", "127.0.0.1:0"] + flags)
    #expect(try process.wait() == .code(78))
    #expect(process.standardError.contains(expected), "\(process.standardError)")
  }
}
