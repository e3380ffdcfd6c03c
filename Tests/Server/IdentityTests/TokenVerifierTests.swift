import Crypto
import PublicTestData
import ReactorCore
import Testing

@testable import Identity

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

  private static let faultyModulus = """
    pkQREoIZVB68L5pkrlsxuME29xsy4sWRyAAXrDhFF4Lrg2woiqZ9b70Q-eqv2BZwEmpBs9TvoPu6koFbeGLkCTJrB2xKr187\
    sAKoeHi7rDoie6qlmnMHEyFaF-a--CWy6yXpMRmEBK-ZB5LbM-cjiBf1D357M28fwiW_sLBCgGzqOqsvHtM__mx_Rc3wN80j\
    NBYVKgGr0G2Lpoasen4eu0HzxmJqUjgNKK5sL81h07F-4xeBTKifyyTG7STXZQUCjRqOYqlbuJ_wTSPjEVhKHx33cMfHnwEy\
    us3mvDzrrb_IKWYpj_O7iZvW9AoZitrcMzipl_rr9HQSoZ_JZSOdQQ
    """

  private static let algorithms =
    ["EdDSA", "ES256", "ES384", "ES512"]
    + ["RS", "PS", "HS"].flatMap { family in ["256", "384", "512"].map { family + $0 } }

  @Test(arguments: algorithms) func `tokens of two libraries verify`(algorithm: String) throws {
    for tokens in [samples.pyjwt, samples.joserfc] {
      let token = try #require(tokens[algorithm])
      let verified = try verifier().verify(token.utf8, at: TokenSamples.now)
      #expect(verified.principal.id == "ada")
      #expect(verified.principal.expiry == TokenSamples.now + 330)
      let thumbprints = try KeySet(samples.keyFile()).entries.map(\.key.thumbprint)
      #expect(thumbprints.contains(verified.key.thumbprint))
    }
  }

  @Test(arguments: algorithms.filter { !$0.hasPrefix("HS") })
  func `keys in PEM verify tokens with and without a key id`(algorithm: String) throws {
    let pem = try #require(samples.pem[algorithm])
    let token = try #require(samples.pyjwt[algorithm])
    #expect(throws: Never.self) {
      try verifier(Array(pem.utf8)).verify(token.utf8, at: TokenSamples.now)
    }
  }

  @Test func `several keys in one PEM file are all tried`() throws {
    let pem = Array(Set(samples.pem.values).sorted().joined(separator: "\n# next\n").utf8)
    #expect(try KeySet(pem).count == 6)
    for algorithm in samples.pem.keys {
      let token = try #require(samples.joserfc[algorithm])
      #expect(throws: Never.self) { try verifier(pem).verify(token.utf8, at: TokenSamples.now) }
    }
  }

  @Test func `certificates verify tokens, by their ids as well`() throws {
    for (algorithm, certificate) in samples.certificates {
      let token = try #require(samples.pyjwt[algorithm])
      let body = certificate.split(separator: "\n").dropFirst().dropLast().joined()
      let kind = algorithm == "RS256" ? "RSA" : "EC"
      let map = certificate.replacing("\n", with: "\\n")
      for file in [
        certificate, #"{"\#(algorithm)":"\#(map)"}"#,
        #"{"keys":[{"kty":"\#(kind)","kid":"\#(algorithm)","x5c":["\#(body)"]}]}"#,
      ] {
        #expect(throws: Never.self) {
          try verifier(Array(file.utf8)).verify(token.utf8, at: TokenSamples.now)
        }
      }
      let other = try #require(samples.pyjwt["EdDSA"])
      #expect(throws: TokenVerifier.Failure.unknownKey) {
        try verifier(Array(certificate.utf8)).verify(other.utf8, at: TokenSamples.now)
      }
    }
  }

  @Test func `a token without a key id is verified with at most four keys`() throws {
    let token = try #require(samples.accepted["key without an id"])
    let three = try verifier(samples.keyFile { $0 = samples.spare.prefix(3) + $0 })
    #expect(throws: Never.self) { try three.verify(token.utf8, at: TokenSamples.now) }
    let four = try verifier(samples.keyFile { $0 += samples.spare })
    #expect(throws: TokenVerifier.Failure.ambiguousKey) {
      try four.verify(token.utf8, at: TokenSamples.now)
    }
  }

  @Test func `each listed variation of a valid token is accepted`() throws {
    #expect(samples.accepted.count == 9)
    for (name, token) in samples.accepted {
      #expect(throws: Never.self, "\(name)") {
        try verifier().verify(token.utf8, at: TokenSamples.now)
      }
    }
  }

  @Test func `each attack is rejected`() throws {
    #expect(samples.attacks.count >= 170)
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
      "embedded key": .badSignature, "EdDSA with S and the order": .badSignature,
      "PKCS #1 v1.5 with no NULL": .badSignature, "PSS without a salt": .badSignature,
      "HS256 with the point of ES256 as the secret": .unknownKey,
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
      $0[1]["crv"] = "secp256k1"
      $0[2]["alg"] = "ES256"
    }
    let keys = try KeySet(file)
    #expect(keys.count == Self.algorithms.count - 3)
    // A key for another purpose is usual.
    #expect(keys.warnings.count == 2)
    #expect(throws: TokenVerifier.Failure.unknownKey) {
      try verifier(file).verify(try #require(samples.pyjwt["EdDSA"]).utf8, at: TokenSamples.now)
    }
  }

  @Test func `a set with a private key is an error that names the key`() throws {
    let file = try samples.keyFile { $0[0]["d"] = "AAAA" }
    let failure = #expect(throws: KeySet.Failure.self) { try KeySet(file) }
    #expect(failure?.description.contains(#"key 0 ("EdDSA") is a private key"#) == true)
  }

  /// The keys of a provider change without the operator: one odd key must not reject the others.
  @Test(
    arguments: [
      (0, "x", "AA"), (0, "x", "A+=="), (1, "x", nil), (1, "y", "AAAA"), (4, "n", "AQAB"),
      // Exponents 0, 1, 2 and 2^32 + 1.
      (4, "e", "AA"), (4, "e", "AQ"), (4, "e", "Ag"), (4, "e", "AQAAAAE"),
      // Points of order 1, 2, 4, 8 and 8, and two encodings that are not canonical.
      (0, "x", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
      (0, "x", "7P_______________________________________38"),
      (0, "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
      (0, "x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA"),
      (0, "x", "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU"),
      (0, "x", "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA_o"),
      (0, "x", "7f_______________________________________38"),
      (0, "x", "7v_______________________________________38"),
    ] as [(Int, String, String?)])
  func `a set skips a key that cannot be used with a warning that names it`(
    index: Int, member: String, value: String?
  ) throws {
    let file = try samples.keyFile { $0[index][member] = value }
    let keys = try KeySet(file)
    #expect(keys.count == Self.algorithms.count - 1)
    #expect(keys.warnings.count == 1 && keys.warnings[0].hasPrefix("key \(index) ("))
  }

  @Test(arguments: [#""use":7"#, #""alg":["EdDSA"]"#, #""key_ops":"verify""#, #""key_ops":[7]"#])
  func `a member of another type than its own rejects the key`(member: String) throws {
    let x = try #require(samples.jwks.keys[0]["x"])
    let key = #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)",\#(member)}"#
    #expect(throws: KeySet.Failure.self) { try KeySet(Array(key.utf8)) }
    #expect(throws: KeySet.Failure.self) { try KeySet(Array(#"{"keys":[\#(key)]}"#.utf8)) }
  }

  /// The primes of the modulus are k × M + (65537^a mod M), where M is the product of the primes to 167.
  @Test func `an RSA key of the faulty generator is skipped with a warning`() throws {
    let file = try samples.keyFile { $0[4]["n"] = Self.faultyModulus }
    #expect(try KeySet(file).warnings.count == 1)
  }

  @Test func `two different keys with one kid reject the set`() throws {
    let twice = try samples.keyFile { $0.append($0[0]) }
    #expect(try KeySet(twice).count == Self.algorithms.count + 1)
    let otherType = try samples.keyFile { $0[1]["kid"] = "EdDSA" }
    #expect(try KeySet(otherType).count == Self.algorithms.count)
    for name in ["k", "x"] {
      let changed = try samples.keyFile {
        var key = $0[name == "k" ? $0.count - 3 : 1]
        if name == "k" { key["k"] = String(repeating: "A", count: 86) }
        if name == "x" { key.merge(samples.spare[0]) { $1 } }
        $0.append(key)
      }
      let failure = #expect(throws: KeySet.Failure.self) { try KeySet(changed) }
      #expect(failure?.description.hasPrefix("two different keys have the kid") == true)
    }
  }

  @Test func `a point that is not on its curve is rejected`() throws {
    let file = try samples.keyFile { $0[1]["x"] = $0[1]["y"] }
    #expect(try KeySet(file).warnings.count == 1)
  }

  @Test func `short secrets and files without keys are rejected`() throws {
    let short = #"{"kty":"oct","k":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg"}"#
    #expect(throws: KeySet.Failure.self) { try KeySet(Array(short.utf8)) }
    for text in ["", "{}", #"{"keys":[]}"#, #"{"keys":{}}"#, "[]", samples.privatePEM] {
      #expect(throws: KeySet.Failure.self, "\(text)") { try KeySet(Array(text.utf8)) }
    }
  }
}
