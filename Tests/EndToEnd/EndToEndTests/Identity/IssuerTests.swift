import Foundation
import Glibc
import PublicTestData
import Testing

/// The service with providers whose keys it reads over HTTP.
@Suite(
  .blocking, .enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct IssuerTests {
  private static let rules = #"[{"allow":"manage","to":"counter/{sub}"}]"#

  private func setting(_ providers: [IdentityProvider], _ names: [String]) -> String {
    let list = zip(providers, names).map {
      #"{"issuer":"\#($0.issuer)","audience":"cart","name":"\#($1)"}"#
    }
    return "[\(list.joined(separator: ","))]"
  }

  private func token(_ subject: String, of provider: IdentityProvider) throws -> [String: String] {
    try provider.token("sub=\(subject)&iss=\(provider.issuer)").asBearer
  }

  @Test func `a provider that is down delays only its own users, and only until it is up`() throws {
    let providers = try [IdentityProvider(), IdentityProvider()]
    try providers[1].set(status: 500)
    let server = try ReactordProcess(
      "--auth-issuers", setting(providers, ["", "corp"]), "--auth-rules", Self.rules)
    func state(_ provider: Int, _ id: String) throws -> HTTPResponse {
      let session = SessionClient(server.client(), "/v1/reactors/counter/sessions/\(id)")
      return try session.state("", token("ada", of: providers[provider]))
    }
    #expect(try whenDecided { try state(0, "ada") }.status == 200)
    try expectProblem(try state(1, "corp~7Cada"), 503, "unavailable")
    let notice = "\(providers[1].issuer) has not published its keys"
    #expect(try server.client().get("/readyz").text.contains(notice))
    #expect(eventually { server.standardError.contains("keys of a provider not read") })
    try providers[1].set(status: 200)
    #expect(try eventually { try state(1, "corp~7Cada").status == 200 })
    // Users of the two providers have sessions of their own.
    try expectProblem(try state(1, "ada"), 403, "forbidden")
    try expectProblem(try state(0, "corp~7Cada"), 403, "forbidden")
    #expect(try server.client().get("/readyz").text == #"{"status":"ready"}"#)
    // A token that names the first provider as its issuer, signed by the second one.
    let forged = try providers[1].token("sub=ada&iss=\(providers[0].issuer)").asBearer
    let session = SessionClient(server.client(), "/v1/reactors/counter/sessions/ada")
    #expect(try [401, 503].contains(session.state("", forged).status))
  }

  @Test(arguments: [(0, "?iss"), (0, ""), (1, "?iss")], [1, 2])
  func `an opaque token has the principal of the issuer that its response names`(
    _ introspection: (provider: Int, query: String), _ count: Int
  ) throws {
    let providers = try [IdentityProvider(), IdentityProvider()]
    let server = try ReactordProcess(
      "--auth-issuers", setting(Array(providers.prefix(count)), ["a", "b"]),
      "--auth-introspection-url",
      providers[introspection.provider].issuer + "/introspect" + introspection.query,
      "--auth-rules", Self.rules)
    func status(_ id: String, _ token: [String: String]) throws -> Int {
      let session = SessionClient(server.client(), "/v1/reactors/counter/sessions/\(id)")
      return try whenDecided { try session.state("", token) }.status
    }
    let ids = count == 1 ? ["ada"] : ["a~7Cada", "b~7Cada"]
    let isKnown = !introspection.query.isEmpty && introspection.provider < count
    let own = isKnown ? ids[introspection.provider] : "introspection~7Cada"
    for id in ["ada", "a~7Cada", "b~7Cada", "introspection~7Cada"] {
      #expect(try status(id, "ada".asBearer) == (id == own ? 200 : 403), "\(id)")
    }
    #expect(try status(ids[0], token("ada", of: providers[0])) == 200)
    let forged = try token("introspection%7Cada", of: providers[0])
    #expect(try status("introspection~7Cada", forged) == (count == 1 ? 401 : 403))
  }

  @Test func `an opaque token of an issuer is for the audience of the issuer`() throws {
    let providers = try [IdentityProvider(), IdentityProvider()]
    let server = try ReactordProcess(
      "--auth-issuers", setting(providers, ["a", "b"]), "--auth-introspection-url",
      providers[0].issuer + "/introspect?iss&shop", "--auth-rules", Self.rules)
    for id in ["ada", "a~7Cada", "introspection~7Cada"] {
      let session = SessionClient(server.client(), "/v1/reactors/counter/sessions/\(id)")
      let response = try whenDecided { try session.state("", "ada".asBearer) }
      try expectProblem(response, 401, "unauthorized")
    }
  }

  @Test func `a reload with another audience or name keeps the keys of a provider that is down`()
    throws
  {
    let provider = try IdentityProvider()
    let folder = try TemporaryFolder()
    func configure(_ members: String) throws {
      try #"""
      {"auth": {"issuers": [{"issuer": "\#(provider.issuer)", \#(members)}],
        "rules": \#(Self.rules)}}
      """#.write(toFile: folder["reactord.json5"], atomically: true, encoding: .utf8)
    }
    try configure(#""audience": "cart""#)
    let server = try ReactordProcess("--config", folder["reactord.json5"])
    let session = SessionClient(server.client(), "/v1/reactors/counter/sessions/ada")
    let ada = try token("ada", of: provider)
    let other = try provider.token("sub=ada&aud=shop&iss=\(provider.issuer)").asBearer
    #expect(try whenDecided { try session.state("", ada) }.status == 200)
    let stream = try session.events("", ada)
    #expect(try stream.nextEvent()?.json == ["value": 0])
    try expectProblem(try session.state("", other), 401, "unauthorized")
    try provider.set(status: 500)
    try configure(#""audience": ["cart", "shop"], "name": "corp""#)
    server.process.signal(SIGHUP)
    #expect(try eventually { try session.state("", other).status == 200 })
    #expect(try session.post(#""increase""#, ada).status == 200)
    #expect(try stream.nextEvent()?.json == ["value": 1])
  }

  @Test func `the command explains the rights of a provider's token`() throws {
    let provider = try IdentityProvider()
    let token = try provider.token("sub=ada&iss=\(provider.issuer)")
    let process = try ReactordProcess.launch(
      [
        "auth", "explain", "--right", "act", "--on", "counter/ada", "--auth-issuers",
        setting([provider], ["corp"]), "--auth-rules", Self.rules, "--auth-claims",
        #"[{"claim":"short","from":"sub","matching":"a(.*)"}]"#,
      ], environment: ["REACTORD_TOKEN": token])
    #expect(try process.wait() == .code(0), "\(process.standardError)")
    #expect(process.standardOutput.contains("token accepted: principal ada"))
    #expect(process.standardOutput.contains(#"auth.claims (short from sub): is "da""#))
  }

  @Test(arguments: [
    #"[{"issuer":"http://login.example.com","audience":"cart"}]"#,
    #"[{"issuer":"https://login.example.com"}]"#, "{}",
  ])
  func `a list of providers that is not safe prevents the start`(setting: String) throws {
    let process = try ReactordProcess.launch(
      ["serve", "--store", "memory", "--listen", "127.0.0.1:0", "--auth-issuers", setting])
    #expect([.code(64), .code(78)].contains(try process.wait()))
    #expect(process.standardError.contains("auth-issuers"))
  }
}
