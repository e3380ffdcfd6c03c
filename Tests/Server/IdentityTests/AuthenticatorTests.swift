import Identity
import PublicTestData
import ReactorCore
import Testing

@Suite(.enabled(if: PublicTestData.isInstalled, Comment(rawValue: PublicTestData.isMissing)))
struct AuthenticatorTests {
  private let samples: TokenSamples
  private let now = TokenSamples.now

  init() throws {
    samples = try TokenSamples.samples.get()
  }

  private func configuration(
    keys change: (inout [[String: String]]) -> Void = { _ in }
  ) throws -> Authenticator.Configuration {
    var configuration = Authenticator.Configuration()
    configuration.verifier = TokenVerifier(keys: try KeySet(samples.keyFile(change)))
    configuration.rules = [AccessRule(allow: .act, to: SessionPattern("cart/{sub}"))]
    configuration.staticTokens = try StaticTokens(
      """
      # operators
      a-long-random-text admin
      another-random-text write counter,chat as=robot
      """)
    configuration.ticketKey = Array(repeating: 7, count: 32)
    return configuration
  }

  private func token(_ name: String = "EdDSA") throws -> [UInt8] {
    Array(try #require(samples.pyjwt[name]).utf8)
  }

  @Test func `the words of a token file are compared as bytes`() throws {
    let tokens = try StaticTokens("a-long-random-text admin as=\u{301}x").tokens
    #expect(tokens.first?.reactors == nil)
    #expect(tokens.first?.principal.map { Array($0.id.utf8) } == Array("\u{301}x".utf8))
    #expect(throws: StaticTokens.SyntaxError.self) {
      try StaticTokens("a-long-random-text write\u{301}")
    }
  }

  private static let cart = Grants.Target.session(reactor: "cart", id: "ada")

  @Test func `a verified token has the grants of its principal, from the cache too`() throws {
    let authenticator = Authenticator(try configuration())
    let first = try authenticator.authenticate(token(), at: now)
    #expect(first.allows(.act, to: Self.cart))
    #expect(!first.allows(.act, to: .session(reactor: "cart", id: "eve")))
    #expect(try authenticator.authenticate(token(), at: now) === first)
  }

  @Test func `an authentication holds until it expires or the configuration is replaced`() throws {
    let authenticator = Authenticator(try configuration())
    let access = try authenticator.authenticate(token(), at: now)
    let expiry = try #require(access.expiry)
    #expect(authenticator.isCurrent(access, at: expiry - 1))
    #expect(!authenticator.isCurrent(access, at: expiry))
    authenticator.replace(try configuration())
    #expect(!authenticator.isCurrent(access, at: now))
    #expect(authenticator.isCurrent(try authenticator.authenticate(token(), at: now), at: now))
  }

  @Test(arguments: ["Bearer ", "bearer ", "BEARER  \t"])
  func `the scheme is read in any case, and spaces around the token are ignored`(
    scheme: String
  ) throws {
    let authenticator = Authenticator(try configuration())
    let text = String(decoding: try token(), as: UTF8.self)
    for field in [scheme + text, scheme + text + " "] {
      let access = try authenticator.authenticate(authorization: field, at: now)
      #expect(try access === authenticator.authenticate(token(), at: now))
    }
    #expect(throws: Authenticator.Failure.token(.tooLong)) {
      try authenticator.authenticate(
        authorization: scheme + String(repeating: "a", count: 8193), at: now)
    }
  }

  @Test(arguments: ["", "Bearer", "Bearer ", "Bearer \t ", "Bearerx", "Basic eDp5", "bear er a"])
  func `another header field is not read as a bearer token`(field: String) throws {
    let authenticator = Authenticator(try configuration())
    #expect(try authenticator.authenticate(authorization: field, at: now) == nil)
  }

  @Test func `the cache does not outlive the token`() throws {
    let authenticator = Authenticator(try configuration())
    _ = try authenticator.authenticate(token(), at: now)
    let token = try token()
    #expect(throws: Authenticator.Failure.token(.expired)) {
      try authenticator.authenticate(token, at: now + 331)
    }
  }

  @Test func `a removed key ends its tokens, cached or not`() throws {
    let authenticator = Authenticator(try configuration())
    let access = try authenticator.authenticate(token(), at: now)
    authenticator.replace(try configuration { $0.removeFirst() })
    #expect(authenticator.refresh(access, at: now) == nil)
    let token = try token()
    #expect(throws: Authenticator.Failure.token(.unknownKey)) {
      try authenticator.authenticate(token, at: now)
    }
    let other = try authenticator.authenticate(self.token("ES256"), at: now)
    #expect(authenticator.refresh(other, at: now) === other)
  }

  @Test(arguments: ["issuer", "audience", "algorithm", "none"])
  func `an access ends with the rules that its token breaks`(_ change: String) throws {
    let authenticator = Authenticator(try configuration())
    let access = try authenticator.authenticate(token("RS256"), at: now)
    let ticket = try #require(authenticator.makeTicket(for: access, address: nil, at: now)).text
    var rules = TokenVerifier.Rules()
    if change == "issuer" { rules.issuer = "https://other.example" }
    if change == "audience" { rules.audience = ["another-service"] }
    let file = try samples.keyFile { keys in
      for index in keys.indices where keys[index]["kty"] == "RSA" && change == "algorithm" {
        keys[index]["alg"] = "PS512"
      }
    }
    var next = try configuration()
    next.verifier = TokenVerifier(keys: try KeySet(file), rules: rules)
    authenticator.replace(next)
    let isKept = change == "none"
    #expect((authenticator.refresh(access, at: now) != nil) == isKept)
    #expect(authenticator.current(access, at: now).isAuthenticated == isKept)
    let used = try? authenticator.authenticate(ticket: Array(ticket.utf8), address: "", at: now)
    #expect((used != nil) == isKept)
    let again = try? authenticator.authenticate(token("RS256"), at: now)
    #expect((again != nil) == isKept)
  }

  @Test func `changed rules change the grants of an access`() throws {
    let authenticator = Authenticator(try configuration())
    let access = try authenticator.authenticate(token(), at: now)
    var next = try configuration()
    next.rules = []
    authenticator.replace(next)
    let refreshed = try #require(authenticator.refresh(access, at: now))
    #expect(!refreshed.allows(.read, to: Self.cart))
    #expect(refreshed.principal == access.principal)
    #expect(authenticator.refresh(access, at: now + 330) == nil)
  }

  @Test func `static tokens have their right, reactors and principal`() throws {
    let authenticator = Authenticator(try configuration())
    let admin = try authenticator.authenticate(Array("a-long-random-text".utf8), at: now)
    #expect(admin.allows(.admin, to: .service))
    #expect(admin.principal == nil)
    let robot = try authenticator.authenticate(Array("another-random-text".utf8), at: now)
    #expect(robot.principal?.id == "robot")
    #expect(robot.allows(.manage, to: .session(reactor: "chat", id: "x")))
    #expect(!robot.allows(.admin, to: .session(reactor: "chat", id: "x")))
    #expect(!robot.allows(.read, to: .session(reactor: "weather", id: "x")))
    #expect(!robot.allows(.read, to: .service))
    #expect(throws: Authenticator.Failure.token(.malformed)) {
      try authenticator.authenticate(Array("a-long-random-texT".utf8), at: now)
    }
  }

  @Test func `an anonymous access has the rules for anonymous requests only`() throws {
    var configuration = try configuration()
    configuration.rules.append(
      AccessRule(allow: .read, to: SessionPattern("catalogue/*"), includesAnonymous: true))
    let anonymous = Authenticator(configuration).anonymous
    #expect(!anonymous.isAuthenticated)
    #expect(anonymous.allows(.read, to: .session(reactor: "catalogue", id: "x")))
    #expect(!anonymous.allows(.read, to: Self.cart))
  }

  @Test func `the cache holds its bound over many tokens`() throws {
    var configuration = try configuration()
    configuration.cacheLimit = 100
    let lines = (0..<1000).map { "token-with-number-\($0) read" }.joined(separator: "\n")
    configuration.staticTokens = try StaticTokens(lines)
    let authenticator = Authenticator(configuration)
    for index in 0..<1000 {
      _ = try authenticator.authenticate(Array("token-with-number-\(index)".utf8), at: now)
      #expect(authenticator.cachedTokens <= 100)
    }
    #expect(authenticator.cachedTokens >= 50)
  }

  @Test func `a token that was accepted before is verified again without permission, once`()
    throws
  {
    let authenticator = Authenticator(try configuration())
    let (token, other) = (try token(), try self.token("ES256"))
    func access(_ token: [UInt8]) throws(Authenticator.Failure) -> Authentication {
      try authenticator.authenticate(token, at: now) { false }
    }
    let first = try authenticator.authenticate(token, at: now)
    authenticator.replace(try configuration())
    let second = try access(token)
    #expect(second !== first && authenticator.isCurrent(second))
    authenticator.revoke([try Revocation(Array(#"{"jti":"unrelated"}"#.utf8), id: "1")])
    authenticator.replace(try configuration())
    #expect(try authenticator.isCurrent(access(token)))
    #expect(throws: Authenticator.Failure.tooManyFailures) { try access(other) }
    authenticator.replace(try configuration { $0.removeFirst() })
    #expect(throws: Authenticator.Failure.token(.unknownKey)) { try access(token) }
    #expect(throws: Authenticator.Failure.tooManyFailures) { try access(token) }
    #expect(authenticator.cachedTokens == 0)
  }

  // MARK: Tickets

  @Test func `a ticket authenticates once per node that shares its key`() throws {
    let one = Authenticator(try configuration())
    let other = Authenticator(try configuration())
    let access = try one.authenticate(token(), at: now)
    let ticket = try #require(one.makeTicket(for: access, address: nil, at: now))
    #expect(ticket.expiry == now + 30)
    let text = Array(ticket.text.utf8)
    for node in [one, other] {
      let used = try node.authenticate(ticket: text, address: "10.0.0.1", at: now + 29)
      #expect(used.principal == access.principal)
      #expect(used.allows(.act, to: Self.cart))
      #expect(throws: Authenticator.Failure.ticket) {
        try node.authenticate(ticket: text, address: "10.0.0.1", at: now + 29)
      }
    }
  }

  @Test func `a ticket is rejected when it expires, is forged, moved or revoked`() throws {
    let authenticator = Authenticator(try configuration())
    let access = try authenticator.authenticate(token(), at: now)
    let ticket = try #require(authenticator.makeTicket(for: access, address: "10.0.0.1", at: now))
    let text = Array(ticket.text.utf8)
    func expectRejection(_ text: [UInt8], from address: String = "10.0.0.1", at time: Int64) {
      #expect(throws: Authenticator.Failure.ticket) {
        try authenticator.authenticate(ticket: text, address: address, at: time)
      }
    }
    expectRejection(text, at: now + 30)
    expectRejection(text, from: "10.0.0.2", at: now)
    for index in text.indices {
      var forged = text
      forged[index] ^= 1
      expectRejection(forged, at: now)
    }
    expectRejection(text + text, at: now)
    expectRejection([], at: now)
    var rotated = try configuration()
    rotated.ticketKey = Array(repeating: 8, count: 32)
    authenticator.replace(rotated)
    expectRejection(text, at: now)
    authenticator.replace(try configuration { $0.removeFirst() })
    expectRejection(text, at: now)
    authenticator.replace(try configuration())
    #expect(throws: Never.self) {
      try authenticator.authenticate(ticket: text, address: "10.0.0.1", at: now)
    }
  }

  @Test func `a static token makes tickets too, and an anonymous access does not`() throws {
    let authenticator = Authenticator(try configuration())
    #expect(authenticator.makeTicket(for: authenticator.anonymous, address: nil, at: now) == nil)
    let robot = try authenticator.authenticate(Array("another-random-text".utf8), at: now)
    let ticket = try #require(authenticator.makeTicket(for: robot, address: nil, at: now))
    let used = try authenticator.authenticate(
      ticket: Array(ticket.text.utf8), address: "x", at: now)
    #expect(used.principal?.id == "robot")
    #expect(used.allows(.act, to: .session(reactor: "counter", id: "x")))
  }
}

struct AccessRuleTests {
  private func rules(_ text: String) throws -> [AccessRule] {
    try AccessRule.list(of: Array(text.utf8))
  }

  @Test func `rules are read from JSON`() throws {
    let rules = try rules(
      #"""
      [{"allow": "act", "to": "cart/{sub}"},
       {"allow": "read", "to": "catalogue/*", "anonymous": true},
       {"allow": "admin", "if": {"role": "staff"}}]
      """#)
    #expect(
      rules == [
        AccessRule(allow: .act, to: SessionPattern("cart/{sub}")),
        AccessRule(allow: .read, to: SessionPattern("catalogue/*"), includesAnonymous: true),
        AccessRule(allow: .admin, if: [.init(claim: "role", text: "staff")]),
      ])
  }

  @Test(arguments: [
    ("{}", "expected an array"), ("[1]", "rule 0: expected an object"),
    (#"[{"allow":"write"}]"#, "rule 0: expected \"allow\""),
    (#"[{"allow":"act","to":"cart"}]"#, "rule 0: expected \"to\""),
    (#"[{"allow":"act"},{"allow":"act","too":1}]"#, "rule 1: \"too\" is unknown"),
    (#"[{"allow":"act","allow":"read"}]"#, "expected an array"),
    (#"[{"allow":"act","anonymous":1}]"#, "rule 0: expected \"anonymous\""),
    (#"[{"allow":"act","if":{"role":null}}]"#, "rule 0: expected each member"),
    (#"[{"allow":"act","if":{"uid":9007199254740992}}]"#, "rule 0: numbers beyond"),
    (#"[{"allow":"act","if":{"uid":[1,-9007199254740993]}}]"#, "rule 0: numbers beyond"),
    (#"[{"allow":"act","anonymous":true,"to":"cart/{sub}"}]"#, "rule 0: an anonymous request"),
    (#"[]}, {"x":["#, "expected an array"),
  ])
  func `a malformed rule is named`(text: String, reason: String) throws {
    let failure = #expect(throws: ListSyntaxError.self) { try rules(text) }
    #expect(failure?.description.hasPrefix(reason) == true, "\(failure?.description ?? "")")
  }
}
