import Identity
import ReactorCore
import Testing

struct AccessExplanationTests {
  private static let rules = #"""
    [{"allow":"read","to":"catalogue/*","anonymous":true},
     {"allow":"act","to":"cart/{sub}"},
     {"allow":"manage","to":"team/{org}-*","if":{"role":"staff"}},
     {"allow":"admin","if":{"role":"root"}},{"deny":"act","to":"catalogue/*"},
     {"deny":"manage","to":"cart/eve","if":{"org":"acme"}}]
    """#

  private static let claims: [String?] = [
    nil, #"{"sub":"ada"}"#, #"{"sub":"ada","org":"acme","role":"staff"}"#,
    #"{"sub":"ada","org":"acme","role":["x","staff"]}"#, #"{"sub":"root","role":"root"}"#,
    #"{"sub":"ada","org":"","role":"staff"}"#, #"{"sub":"ada","org":"a-b","role":"staff"}"#,
    #"{"sub":"ada","scope":"reactord:read"}"#,
    #"{"sub":"ada","reactord":{"act":["note/*"],"read":["x/{missing}"]}}"#,
  ]

  private static let targets: [Grants.Target] = [
    .service, .reactor("cart"), .reactor("team"), .session(reactor: "cart", id: "ada"),
    .session(reactor: "cart", id: "eve"), .session(reactor: "team", id: "acme-1"),
    .session(reactor: "team", id: "a-b-1"), .session(reactor: "catalogue", id: "x"),
    .session(reactor: "note", id: "n"), .session(reactor: "x", id: "n"),
  ]

  private func authenticator() throws -> Authenticator {
    var configuration = Authenticator.Configuration()
    configuration.rules = try AccessRule.list(of: Array(Self.rules.utf8))
    configuration.staticTokens = try StaticTokens("a-long-random-text manage cart as=robot")
    return Authenticator(configuration)
  }

  @Test(arguments: claims)
  func `a rule lacks nothing exactly if it grants the right`(claims: String?) throws {
    let authenticator = try authenticator()
    let rules = try AccessRule.list(of: Array(Self.rules.utf8))
    for target in Self.targets {
      for right in Right.allCases {
        let answer = try #require(
          authenticator.explain(claims: claims.map { Array($0.utf8) }, right, to: target, at: 0))
        let met = answer.rules.filter { $0.missing == nil }
        #expect(
          answer.isAllowed
            == (met.contains { $0.allow != nil } && !met.contains { $0.deny != nil }))
        for (index, rule) in rules.enumerated() where claims == nil && !rule.isDenial {
          let grants = Grants(rules: [rule], principal: nil)
          #expect(grants.allow(right, to: target) == (answer.rules[index].missing == nil))
        }
      }
    }
  }

  @Test func `the result names the rule, the claim and what is missing`() throws {
    let authenticator = try authenticator()
    func missing(_ claims: String, _ right: Right, _ target: String?) throws -> [String?] {
      let answer = try #require(
        authenticator.explain(
          claims: Array(claims.utf8), right, to: .init(name: target), at: 0))
      return answer.rules.map(\.missing)
    }
    #expect(
      try missing(#"{"sub":"eve","role":"x"}"#, .act, "cart/ada") == [
        "It grants read, not act.", #"The pattern stands for "cart/eve"."#,
        #"The claim "role" does not contain "staff"."#,
        #"The claim "role" does not contain "root"."#,
        #"The pattern stands for "catalogue/*"."#, "It denies manage, not act.",
      ])
    #expect(
      try missing(#"{"sub":"eve","role":"staff"}"#, .manage, "team/acme-1")[2]
        == #"The claim "org" is missing, or is no text that is not empty."#)
    #expect(try missing(#"{"sub":"ada"}"#, .act, "cart/ada")[1] == nil)
    #expect(authenticator.explain(claims: Array("[]".utf8), .read, to: .service, at: 0) == nil)
    #expect(authenticator.explain(claims: Array("{}".utf8), .read, to: .service, at: 0) == nil)
  }

  @Test func `a static token and a revocation are explained`() throws {
    let authenticator = try authenticator()
    let access = try authenticator.authenticate(Array("a-long-random-text".utf8), at: 0)
    let target = Grants.Target.session(reactor: "cart", id: "x")
    let answer = authenticator.explain(access, .manage, to: target, at: 0)
    #expect(answer.isAllowed)
    #expect(answer.rules.last?.rule == "auth.tokens")
    authenticator.revoke([try Revocation(Array(#"{"sub":"robot"}"#.utf8), id: "1")])
    let revoked = authenticator.explain(access, .manage, to: target, at: 0)
    #expect(revoked.isRevoked)
    #expect(!revoked.isAllowed)
  }
}
