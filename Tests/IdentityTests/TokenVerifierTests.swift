import Identity
import PublicTestData
import ReactorCore
import Testing

@Suite(.enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct TokenVerifierTests {
  private let samples: TokenSamples

  init() throws {
    samples = try TokenSamples.samples.get()
  }

  private func verifier(_ keys: [UInt8]? = nil) throws -> TokenVerifier {
    var rules = TokenVerifier.Rules()
    rules.issuer = "https://id.example"
    rules.audience = ["reactord", "other"]
    return TokenVerifier(keys: try KeySet(try keys ?? samples.keyFile()), rules: rules)
  }

  private static let algorithms = ["EdDSA", "ES256", "ES384", "RS256", "PS256", "HS256"]

  @Test(arguments: algorithms) func `tokens of two libraries verify`(algorithm: String) throws {
    for tokens in [samples.pyjwt, samples.joserfc] {
      let token = try #require(tokens[algorithm])
      let verified = try verifier().verify(token.utf8, at: TokenSamples.now)
      #expect(verified.principal.id == "ada")
      #expect(verified.principal.expiry == TokenSamples.now + 330)
      #expect(try KeySet(samples.keyFile()).contains(thumbprint: verified.keyThumbprint))
    }
  }

  @Test(arguments: ["EdDSA", "ES256", "ES384", "RS256", "PS256"])
  func `keys in PEM verify tokens with and without a key id`(algorithm: String) throws {
    let pem = try #require(samples.pem[algorithm])
    let token = try #require(samples.pyjwt[algorithm])
    #expect(throws: Never.self) {
      try verifier(Array(pem.utf8)).verify(token.utf8, at: TokenSamples.now)
    }
  }

  @Test func `several keys in one PEM file are all tried`() throws {
    let pem = Array(samples.pem.values.sorted().joined(separator: "\n# next\n").utf8)
    #expect(try KeySet(pem).count == 5)
    for algorithm in samples.pem.keys {
      let token = try #require(samples.joserfc[algorithm])
      #expect(throws: Never.self) { try verifier(pem).verify(token.utf8, at: TokenSamples.now) }
    }
  }

  @Test func `each listed variation of a valid token is accepted`() throws {
    #expect(samples.accepted.count == 7)
    for (name, token) in samples.accepted {
      #expect(throws: Never.self, "\(name)") {
        try verifier().verify(token.utf8, at: TokenSamples.now)
      }
    }
  }

  @Test func `each attack is rejected`() throws {
    #expect(samples.attacks.count >= 40)
    let verifier = try verifier()
    for (name, token) in samples.attacks {
      #expect(throws: TokenVerifier.Failure.self, "\(name)") {
        try verifier.verify(token.utf8, at: TokenSamples.now)
      }
    }
  }

  @Test func `attacks that a signature covers are rejected for their own reason`() throws {
    let expected: [String: TokenVerifier.Failure] = [
      "none": .unsupported, "HS256 with the RSA public key as the secret": .unknownKey,
      "all-zero ES256 signature": .badSignature, "empty ES256 signature": .badSignature,
      "wrong audience": .wrongAudience, "wrong issuer": .wrongIssuer, "expired": .expired,
      "without expiry": .expired, "not yet valid": .notYetValid,
      "issued in the future": .notYetValid, "wrong kid": .unknownKey,
      "kid of another key": .unknownKey, "critical extension": .unsupported,
      "empty critical extensions": .unsupported, "logout token": .unsupported,
      "repeated claim": .malformed, "deeply nested claims": .malformed,
      "subject that is a number": .invalidClaims, "expiry beyond 64 bits": .invalidClaims,
      "spare bits that are set": .malformed, "8 KiB and 1 byte": .tooLong,
      "embedded key": .badSignature,
    ]
    for (name, failure) in expected {
      let token = try #require(samples.attacks[name], "\(name)")
      #expect(throws: failure, "\(name)") {
        try verifier().verify(token.utf8, at: TokenSamples.now)
      }
    }
  }

  @Test func `claims keep their types`() throws {
    let token = try #require(samples.accepted["claims of several types"])
    let principal = try verifier().verify(token.utf8, at: TokenSamples.now).principal
    #expect(principal.has(role: "staff"))
    #expect(!principal.has(role: "3"))
    #expect(principal.claims.number("n") == 1.5)
    #expect(principal.claims["b"] == .boolean(true))
    #expect(principal.claims["o"] == .object(Claims([("a", .null)])))
    #expect(principal.claims.string("ü") == "é")
    #expect(principal.claims.strings("roles") == ["staff"])
  }

  @Test func `a token without expiry is accepted where the rules permit it`() throws {
    var rules = TokenVerifier.Rules()
    rules.requiresExpiry = false
    let verifier = TokenVerifier(keys: try KeySet(samples.keyFile()), rules: rules)
    let token = try #require(samples.attacks["without expiry"])
    #expect(try verifier.verify(token.utf8, at: TokenSamples.now).principal.expiry == nil)
  }

  // MARK: Key files

  @Test func `a set skips keys for other purposes and of other types`() throws {
    let file = try samples.keyFile {
      $0[0]["use"] = "enc"
      $0[1]["crv"] = "P-521"
      $0[2]["alg"] = "ES256"
    }
    #expect(try KeySet(file).count == 3)
    #expect(throws: TokenVerifier.Failure.unknownKey) {
      try verifier(file).verify(try #require(samples.pyjwt["EdDSA"]).utf8, at: TokenSamples.now)
    }
  }

  @Test(arguments: [
    ("d", "AAAA", "is a private key"), ("x", "AA", "is malformed"), ("x", "A+==", "is malformed"),
  ])
  func `a set with a key that cannot be read is an error that names the key`(
    member: String, value: String, reason: String
  ) throws {
    let file = try samples.keyFile { $0[0][member] = value }
    let failure = #expect(throws: KeySet.Failure.self) { try KeySet(file) }
    #expect(failure?.description.contains(#"key 0 ("EdDSA") \#(reason)"#) == true)
  }

  @Test func `a point that is not on its curve is rejected`() throws {
    let file = try samples.keyFile { $0[1]["x"] = $0[1]["y"] }
    #expect(throws: KeySet.Failure.self) { try KeySet(file) }
  }

  @Test func `short secrets and files without keys are rejected`() throws {
    let short = #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg"}"#
    #expect(throws: KeySet.Failure.self) { try KeySet(Array(short.utf8)) }
    for text in ["", "{}", #"{"keys":[]}"#, #"{"keys":{}}"#, "[]", samples.privatePEM] {
      #expect(throws: KeySet.Failure.self, "\(text)") { try KeySet(Array(text.utf8)) }
    }
  }
}
