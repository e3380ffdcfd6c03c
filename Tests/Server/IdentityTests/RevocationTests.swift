import Identity
import ReactorCore
import Testing

struct RevocationTests {
  private static let now: Int64 = 1_000_000

  /// Authenticates a static token whose principal has no claims.
  private func isAccepted(_ revoked: String) throws -> Bool {
    var configuration = Authenticator.Configuration()
    configuration.staticTokens = try StaticTokens("a-long-random-text admin as=ada")
    configuration.revoked = try Revocation.list(of: Array(revoked.utf8))
    let authenticator = Authenticator(configuration)
    return (try? authenticator.authenticate(Array("a-long-random-text".utf8), at: Self.now)) != nil
  }

  @Test(arguments: [
    ("[]", true), (#"[{"sub":"ada"}]"#, false), (#"[{"sub":"eve"}]"#, true),
    (#"[{"sub":"ada","issuer":"https://a.example"}]"#, true),
    (#"[{"sub":"ada","jti":"1"}]"#, true), (#"[{"issuer":"https://a.example"}]"#, true),
    (#"[{"sub":"ada","until":"1970-01-12T13:46:40Z"}]"#, true),
    (#"[{"sub":"ada","until":"1970-01-12T13:46:41Z"}]"#, false),
    (#"[{"sub":"ada","issuedBefore":"1970-01-01T00:00:00Z"}]"#, false),
  ])
  func `a credential is revoked if it has all properties`(revoked: String, isAccepted: Bool) throws
  {
    #expect(try self.isAccepted(revoked) == isAccepted, "\(revoked)")
  }

  @Test(arguments: [
    "", "{}", "[1]", "[{}]", #"[{"sub":1}]"#, #"[{"sub":""}]"#,
    #"[{"until":"2026-11-27T21:00:00Z"}]"#,
    #"[{"sub":"a","sub":"b"}]"#, #"[{"sub":"a","until":1}]"#, #"[{"sub":"a","issuedBefore":"x"}]"#,
    #"[{"sub":"a","role":"x"}]"#, #"[{"sub":"\#(String(repeating: "a", count: 257))"}]"#,
    #"[{"sub":null}]"#,
  ])
  func `a malformed file is rejected as a whole`(text: String) {
    #expect(throws: Revocation.SyntaxError.self) { try Revocation.list(of: Array(text.utf8)) }
  }

  @Test func `revocations of the store and of the file hold together, and an earlier access ends`()
    throws
  {
    var configuration = Authenticator.Configuration()
    configuration.staticTokens = try StaticTokens(
      "a-long-random-text admin as=ada\nanother-random-text admin as=eve\na-token-without-a-name read"
    )
    let authenticator = Authenticator(configuration)
    let ada = try authenticator.authenticate(Array("a-long-random-text".utf8), at: Self.now)
    let eve = try authenticator.authenticate(Array("another-random-text".utf8), at: Self.now)
    let nobody = try authenticator.authenticate(Array("a-token-without-a-name".utf8), at: Self.now)
    let stored = [try Revocation(Array(#"{"sub":"ada"}"#.utf8), id: "1")]
    #expect(authenticator.revoke(stored))
    #expect(!authenticator.revoke(stored))
    #expect(!authenticator.isCurrent(ada))
    #expect(authenticator.refresh(ada, at: Self.now) == nil)
    #expect(authenticator.refresh(eve, at: Self.now) != nil)
    #expect(throws: Authenticator.Failure.revoked) {
      try authenticator.authenticate(Array("a-long-random-text".utf8), at: Self.now)
    }
    configuration.revoked = try Revocation.list(of: Array(#"[{"sub":"eve"}]"#.utf8))
    authenticator.replace(configuration)
    for access in [ada, eve] { #expect(authenticator.refresh(access, at: Self.now) == nil) }
    #expect(authenticator.refresh(nobody, at: Self.now) != nil)
    #expect(authenticator.revoke([]))
    #expect(authenticator.refresh(ada, at: Self.now) != nil)
  }
}
