import Foundation
import PublicTestData
import Testing

/// Where the principal of a request is visible, and where its credential is not.
@Suite(
  .blocking, .enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct PrincipalTests {
  private let folder: TemporaryFolder
  private let provider: IdentityProvider
  private let server: ReactordProcess
  private let session: SessionClient

  private var store: [String] { ["--store", "sqlite:" + folder["log.db"]] }

  init() throws {
    folder = try TemporaryFolder()
    provider = try IdentityProvider()
    try provider.keys().write(toFile: folder["keys.json"], atomically: true, encoding: .utf8)
    let rules = #"""
      [{"allow":"manage","to":"counter/{sub}"},{"allow":"manage","to":"counter/{sub}-*"},
       {"allow":"admin","if":{"role":"staff"}}]
      """#
    server = try ReactordProcess(
      [
        "--store", "sqlite:" + folder["log.db"], "--auth-jwt-keys", folder["keys.json"],
        "--auth-jwt-audience", "cart", "--auth-cookie", "session", "--auth-query", "true",
        "--auth-rules", rules, "--changes-keep", "3600", "--limits-sessions", "3",
        "--log-level", "trace",
      ], environment: [:])
    session = SessionClient(server.client(), "/v1/reactors/counter/sessions/ada")
  }

  @Test func `an action has its principal in the log, the change feed, an export and an import`()
    throws
  {
    let ada = try provider.token("sub=ada").asBearer
    let staff = try provider.token("sub=eve&role=staff").asBearer
    #expect(try session.post(#""increase""#, ada).status == 200)
    #expect(try session.log("", ada).json.array?.map { $0["by"] } == ["ada"])
    #expect(
      try eventually {
        try session.client.get("/v1/changes?with=entries", staff).text.contains(#""by":"ada""#)
      })
    let other = try provider.token("sub=bob").asBearer
    #expect(try session.client.get("/v1/changes?with=entries", other).json == [])

    let export = try ReactordProcess.launch(["log", "export"] + store)
    #expect(try export.wait() == .code(0))
    #expect(export.standardOutput.contains(#""by":"ada""#))
    try export.standardOutput.write(
      toFile: folder["export.jsonl"], atomically: true, encoding: .utf8)
    let empty = ["--store", "sqlite:" + folder["other.db"]]
    let copy = try ReactordProcess.launch(
      ["log", "import"] + empty,
      under: ["/bin/sh", "-c", #"exec "$@" < "$0""#, folder["export.jsonl"]])
    #expect(try copy.wait() == .code(0), "\(copy.standardError)")
    let again = try ReactordProcess.launch(["log", "export"] + empty)
    #expect(try again.wait() == .code(0))
    #expect(again.standardOutput.contains(#""by":"ada""#))
  }

  @Test func `a browser's cookie is a credential, except for requests of foreign pages`() throws {
    let cookie = ["Cookie": "theme=dark; session=\(try provider.token("sub=ada"))"]
    #expect(try session.post(#""increase""#, cookie).text == #"{"value":1}"#)
    #expect(try session.state("", cookie).status == 200)
    #expect(try session.state("", cookie)["Set-Cookie"] == nil)
    for foreign in [["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"]] {
      let fields = cookie.merging(foreign) { $1 }
      try expectProblem(try session.state("", fields), 403, "foreign-origin")
      try expectProblem(try session.post(#""increase""#, fields), 403, "foreign-origin")
      let stream = try session.events("", fields)
      #expect(stream.head.status == 403)
    }
    #expect(try session.state("", cookie).text == #"{"value":1}"#)
  }

  @Test func `a principal that creates more sessions than limits.sessions gets 429`() throws {
    let ada = try provider.token("sub=ada").asBearer
    let statuses = try (0..<5).map { number in
      let response = try session.client.send("PUT", "\(session.path)-\(number)", ada)
      if response.status == 429 {
        try expectProblem(response, 429, "rate-limited")
        #expect(response["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
      }
      return response.status
    }
    #expect(statuses == [201, 201, 201, 429, 429])
    let eve = SessionClient(server.client(), "/v1/reactors/counter/sessions/eve")
    #expect(try eve.post(#""increase""#, provider.token("sub=eve").asBearer).status == 200)
    let staff = try provider.token("sub=root&role=staff").asBearer
    for number in 0..<5 {
      #expect(try session.client.send("PUT", "\(session.path)-s\(number)", staff).status == 201)
    }
  }

  @Test func `tokens and tickets are in no log line, metric, problem or referrer`() throws {
    let token = try provider.token("sub=ada")
    let staff = try provider.token("sub=eve&role=staff")
    let expired = try provider.token("sub=ada&exp=-100")
    let created = try session.client.send("POST", "/v1/tickets", token.asBearer)
    let ticket = try #require(created.json["ticket"]?.string)
    let secrets = [token, staff, expired, ticket]
    var responses = [
      try session.post(#""increase""#, token.asBearer), try session.state("", expired.asBearer),
      try session.state("", ["Cookie": "session=\(expired)"]),
      try session.state("?access_token=\(token)"), try session.state("?ticket=\(ticket)"),
      try session.client.get("/nothing?access_token=\(token)", token.asBearer),
      try session.client.get("/v1/globals", token.asBearer),
      try session.log("", token.asBearer), try session.client.get("/metrics", staff.asBearer),
    ]
    for query in ["access_token=\(token)", "ticket=\(ticket)", "ticket=\(ticket)"] {
      let stream = try session.events("?" + query)
      #expect([200, 401].contains(stream.head.status))
    }
    let page = try session.client.get("/")
    #expect(page["Referrer-Policy"] == "no-referrer")
    responses.append(page)
    for response in responses {
      for secret in secrets { #expect(!response.text.contains(secret)) }
    }
    try server.stop()
    #expect(server.standardError.contains("/v1/reactors/counter/sessions/ada"))
    for secret in secrets {
      #expect(!server.standardError.contains(secret))
      // The log does not contain the signature of the credential either.
      let signature = try #require(secret.split(separator: ".").last)
      #expect(!server.standardError.contains(signature))
    }
  }
}
