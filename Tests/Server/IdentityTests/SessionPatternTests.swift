import Identity
import ReactorCore
import Testing

struct SessionPatternTests {
  private static let claims = Claims([
    ("sub", .string("ada")), ("org", .string("acme")), ("slash", .string("a/b")),
    ("star", .string("*")), ("empty", .string("")), ("number", .number(7)),
    ("provider", .string("auth0|5f7c")), ("mail", .string("ada@example.com")),
    ("hyphen", .string("acme-corp")), ("dots", .string("..")), ("tilde", .string("a~7C")),
    ("double", .string("a-")),
  ])

  @Test(arguments: [
    ("chat/*", "chat", "lobby", true), ("chat/*", "chats", "lobby", false),
    ("chat/lobby", "chat", "lobby", true), ("chat/lobby", "chat", "lobby2", false),
    ("chat/lobby", "chat", "lobb", false), ("*/*", "chat", "x", true),
    ("cart/{sub}", "cart", "ada", true), ("cart/{sub}", "cart", "adam", false),
    ("cart/{sub}", "cart", "eve", false), ("cart/{sub}-*", "cart", "ada-1", true),
    ("cart/{sub}-*", "cart", "ada", false), ("team/{org}-{sub}", "team", "acme-ada", true),
    ("{org}/x*", "acme", "xyz", true), ("cart/{slash}", "cart", "a/b", false),
    ("cart/{slash}", "cart", "a~2Fb", true), ("cart/{slash}", "cart", "a~2fb", false),
    ("cart/{star}", "cart", "*", false), ("cart/{star}", "cart", "~2A", true),
    ("cart/{empty}-*", "cart", "-x", false),
    ("cart/{provider}", "cart", "auth0~7C5f7c", true),
    ("cart/{provider}", "cart", "auth0|5f7c", false),
    ("cart/{mail}", "cart", "ada~40example.com", true), ("cart/{dots}", "cart", "~2E~2E", true),
    ("cart/{dots}", "cart", "..", false), ("cart/{tilde}", "cart", "a~7E7C", true),
    ("cart/{tilde}", "cart", "a~7C", false),
    // A claim with the text that follows would be the beginning of the sessions of another claim.
    ("team/{hyphen}", "team", "acme-corp", true), ("team/{hyphen}-*", "team", "acme-corp-1", false),
    ("team/{org}-*", "team", "acme-corp-1", true), ("team/{double}--*", "team", "a---x", false),
    ("cart/{number}", "cart", "7", false), ("cart/{missing}", "cart", "", false),
  ])
  func `a pattern matches exactly its sessions`(
    pattern: String, reactor: String, session: String, matches: Bool
  ) throws {
    let pattern = try #require(SessionPattern(pattern))
    #expect(
      pattern.matches(reactor: reactor, session: session, claims: Self.claims) == matches)
  }

  @Test func `a placeholder matches nothing for an anonymous request`() throws {
    let pattern = try #require(SessionPattern("cart/{sub}"))
    #expect(!pattern.matches(reactor: "cart", session: "ada", claims: nil))
    #expect(pattern.needsClaims)
  }

  @Test func `texts that normalize to the same string differ`() throws {
    let pattern = try #require(SessionPattern("cart/\u{E9}"))
    #expect(!pattern.matches(reactor: "cart", session: "e\u{301}", claims: nil))
  }

  @Test(arguments: [
    "", "chat", "/", "chat/", "/lobby", "a/b/c", "a*/b*c", "**/x", "{}/x", "a/{sub", "a/sub}",
    "a/{{sub}}", "a/{sub}*", "a/{org}{sub}", "{org}*/a", String(repeating: "a", count: 512) + "/b",
  ])
  func `a malformed pattern is rejected`(pattern: String) {
    #expect(SessionPattern(pattern) == nil)
  }
}

/// The form of texts as ids.
struct SessionIDTests {
  @Test func `different texts have different forms, which are valid ids, and are recognised`() {
    let alphabet: [Unicode.Scalar] = ["a", "~", "7", "C", "|", ".", "-", "/", "\u{E9}", "\u{0}"]
    var forms: [String: String] = [:]
    var texts = [""]
    for _ in 0..<4 {
      texts = texts.flatMap { text in alphabet.map { text + String($0) } }
      for text in texts {
        let form = SessionID.encoding(text)
        #expect(forms[form].map { Array($0.utf8) == Array(text.utf8) } ?? true, "\(text)")
        forms[form] = text
        #expect(form.utf8.allSatisfy { "aC7.-~0123456789ABDEF".utf8.contains($0) })
        #expect(form != "." && form != "..")
        let pattern = SessionPattern("r/{sub}")
        let claims = Claims([("sub", .string(text))])
        #expect(pattern?.matches(reactor: "r", session: form, claims: claims) == true)
        #expect(pattern?.matches(reactor: "r", session: form + "x", claims: claims) == false)
      }
    }
  }
}

struct GrantsTests {
  private static let rules = [
    AccessRule(allow: .act, to: SessionPattern("cart/{sub}")),
    AccessRule(allow: .read, to: SessionPattern("catalogue/*"), includesAnonymous: true),
    AccessRule(allow: .admin, if: [.init(claim: "role", text: "staff")]),
  ]

  private func grants(_ claims: [(name: String, value: Claims.Value)]?) -> Grants {
    Grants(
      rules: Self.rules,
      principal: claims.map { Principal(id: "ada", claims: Claims([("sub", .string("ada"))] + $0)) }
    )
  }

  @Test func `rules grant their right and those below, to their sessions only`() {
    let ada = grants([])
    #expect(ada.allow(.act, to: .session(reactor: "cart", id: "ada")))
    #expect(ada.allow(.read, to: .session(reactor: "cart", id: "ada")))
    #expect(!ada.allow(.manage, to: .session(reactor: "cart", id: "ada")))
    #expect(!ada.allow(.read, to: .session(reactor: "cart", id: "eve")))
    #expect(ada.allow(.read, to: .reactor("cart")))
    #expect(!ada.allow(.read, to: .service))
  }

  @Test func `a reactor is visible to principals that can read one of its sessions`() {
    #expect(grants([]).allow(.read, to: .reactor("cart")))
    let robot = Grants(
      rules: Self.rules, principal: Principal(id: "robot", claims: Claims([])))
    #expect(!robot.allow(.read, to: .reactor("cart")))
    #expect(robot.allow(.read, to: .reactor("catalogue")))
    #expect(!Grants(rules: Self.rules, principal: nil).allow(.read, to: .reactor("cart")))
    let team = [AccessRule(allow: .read, to: SessionPattern("team/{org}-*"))]
    for (org, isVisible) in [("acme", true), ("acme-corp", false), ("", false)] {
      let claims = Claims([("org", .string(org))])
      let grants = Grants(rules: team, principal: Principal(id: "ada", claims: claims))
      #expect(grants.allow(.read, to: .reactor("team")) == isVisible)
    }
  }

  @Test func `an anonymous request has what rules for anonymous requests grant`() {
    let anonymous = grants(nil)
    #expect(anonymous.allow(.read, to: .session(reactor: "catalogue", id: "x")))
    #expect(!anonymous.allow(.act, to: .session(reactor: "catalogue", id: "x")))
    #expect(!anonymous.allow(.read, to: .session(reactor: "cart", id: "ada")))
  }

  @Test func `a condition holds for a text and for an array that contains it`() {
    #expect(grants([("role", .string("staff"))]).allow(.admin, to: .service))
    #expect(
      grants([("role", .array([.string("x"), .string("staff")]))]).allow(.admin, to: .service))
    #expect(!grants([("role", .string("Staff"))]).allow(.admin, to: .service))
  }

  @Test func `claims grant patterns, and scopes grant a right everywhere`() {
    let own = grants([
      ("reactord", .object(Claims([("read", .array([.string("chat/*"), .string("bad")]))]))),
      ("scope", .string("openid reactord:act")),
    ])
    #expect(own.allow(.read, to: .session(reactor: "chat", id: "lobby")))
    #expect(own.allow(.act, to: .session(reactor: "counter", id: "x")))
    #expect(!own.allow(.manage, to: .session(reactor: "chat", id: "lobby")))
    #expect(
      !grants([("scope", .string("reactord:root areactord:act"))])
        .allow(.act, to: .session(reactor: "counter", id: "x")))
  }
}
