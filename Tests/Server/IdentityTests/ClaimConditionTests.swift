import Identity
import ReactorCoding
import ReactorCore
import Testing

/// Rules about claims as providers publish them, denials, and single actions.
struct ClaimConditionTests {
  private func grants(_ rules: String, _ claims: String?) throws -> Grants {
    var configuration = Authenticator.Configuration()
    configuration.rules = try AccessRule.list(of: Array(rules.utf8))
    return Grants(
      rules: configuration.rules,
      principal: try claims.map { Principal(id: "ada", claims: try Self.claims($0)) })
  }

  private static func claims(_ json: String) throws -> Claims {
    let principal = #"{"id":"ada","claims":\#(json)}"#
    return try JSONCoder.decode(Principal.self, from: Array(principal.utf8)).claims
  }

  @Test(arguments: [
    (#"{"role":"staff"}"#, #"{"role":"staff"}"#, true),
    (#"{"role":"staff"}"#, #"{"role":["x","staff"]}"#, true),
    (#"{"role":["staff","root"]}"#, #"{"role":"root"}"#, true),
    (#"{"role":["staff","root"]}"#, #"{"role":["x"]}"#, false),
    (#"{"realm_access.roles":"staff"}"#, #"{"realm_access":{"roles":["staff"]}}"#, true),
    (#"{"realm_access.roles":"staff"}"#, #"{"realm_access":["staff"]}"#, false),
    (
      #"{"resource_access.my.app.roles":"a"}"#, #"{"resource_access":{"my.app":{"roles":["a"]}}}"#,
      true
    ),
    (#"{"https://example.com/roles":"a"}"#, #"{"https://example.com/roles":["a"]}"#, true),
    (#"{"a.b":"1"}"#, #"{"a.b":"2","a":{"b":"1"}}"#, false),
    (#"{"email_verified":true}"#, #"{"email_verified":true}"#, true),
    (#"{"email_verified":true}"#, #"{"email_verified":"true"}"#, false),
    (#"{"email_verified":true}"#, #"{"email_verified":1}"#, false),
    (#"{"level":[2,3]}"#, #"{"level":3}"#, true), (#"{"level":3}"#, #"{"level":"3"}"#, false),
    (#"{"scope":"write"}"#, #"{"scope":"read write"}"#, true),
    (#"{"scope":"write"}"#, #"{"scope":"rewrite"}"#, false),
    (#"{"scp":"write"}"#, #"{"scp":"read write"}"#, true),
    (#"{"scp":"write"}"#, #"{"scp":["read","write"]}"#, true),
    (#"{"name":"a b"}"#, #"{"name":"a b"}"#, true), (#"{"name":"a"}"#, #"{"name":"a b"}"#, false),
    (#"{"groups":"staff"}"#, #"{"groups":["staff"]}"#, true),
    (#"{"cognito:groups":"staff"}"#, #"{"cognito:groups":["staff"]}"#, true),
    (#"{"kubernetes.io.namespace":"shop"}"#, #"{"kubernetes.io":{"namespace":"shop"}}"#, true),
  ])
  func `a claim is compared as it is`(condition: String, claims: String, isMet: Bool) throws {
    let grants = try grants(#"[{"allow":"read","if":\#(condition)}]"#, claims)
    #expect(grants.allow(.read, to: .service) == isMet, "\(condition) \(claims)")
  }

  @Test(arguments: [
    (#"{"scope":"openid reactord:read"}"#, true), (#"{"scp":"reactord:read"}"#, true),
    (#"{"scp":["reactord:read"]}"#, true), (#"{"permissions":["reactord:read"]}"#, true),
    (#"{"groups":["reactord:read"]}"#, false), (#"{"permissions":"xreactord:read"}"#, false),
  ])
  func `a token grants rights by its scopes and permissions`(claims: String, isGranted: Bool) throws
  {
    #expect(try grants("[]", claims).allow(.read, to: .service) == isGranted)
  }

  private static let cart = Grants.Target.session(reactor: "cart", id: "ada")

  @Test func `a placeholder takes the text at a path`() throws {
    let rules = #"[{"allow":"read","to":"team/{realm.org}"}]"#
    let grants = try grants(rules, #"{"realm":{"org":"acme"}}"#)
    #expect(grants.allow(.read, to: .session(reactor: "team", id: "acme")))
    #expect(!grants.allow(.read, to: .session(reactor: "team", id: "other")))
  }

  @Test func `a denial is stronger than every grant, and takes the rights that include it`() throws
  {
    let rules = #"""
      [{"allow":"admin"},{"deny":"act","to":"cart/*"},{"deny":"read","to":"cart/secret-*"},
       {"deny":"admin","if":{"role":"guest"}}]
      """#
    let claims = #"{"reactord":{"manage":["cart/*"]},"scope":"reactord:admin"}"#
    let grants = try grants(rules, claims)
    #expect(grants.allow(.read, to: Self.cart))
    for right in [Right.act, .manage, .admin] { #expect(!grants.allow(right, to: Self.cart)) }
    #expect(!grants.allow(.read, to: .session(reactor: "cart", id: "secret-1")))
    #expect(grants.allow(.admin, to: .service))
    #expect(grants.allow(.read, to: .reactor("cart")))
    #expect(!grants.allow(.act, to: .reactor("cart")))
    #expect(grants.denySome(of: "cart"))
    #expect(!grants.denySome(of: "note"))
    let guest = try self.grants(rules, #"{"role":"guest"}"#)
    #expect(!guest.allow(.admin, to: .service))
    #expect(guest.allow(.manage, to: .service))
  }

  @Test func `a denial without conditions includes anonymous requests`() throws {
    let rules = #"[{"allow":"read","anonymous":true},{"deny":"read","to":"cart/ada"}]"#
    let anonymous = try grants(rules, nil)
    #expect(!anonymous.allow(.read, to: Self.cart))
    #expect(anonymous.allow(.read, to: .session(reactor: "cart", id: "eve")))
  }

  @Test func `a rule about actions grants these, and reads`() throws {
    let rules = #"[{"allow":"act","do":["add","remove"],"to":"cart/{sub}"}]"#
    let grants = try grants(rules, #"{"sub":"ada"}"#)
    #expect(grants.limitsActions)
    #expect(grants.allow(.read, to: Self.cart))
    #expect(grants.allow(.act, to: Self.cart))
    #expect(grants.allow(.act, to: Self.cart, for: .action("add")))
    #expect(!grants.allow(.act, to: Self.cart, for: .action("clear")))
    #expect(!grants.allow(.signal, to: Self.cart))
    #expect(!grants.allow(.manage, to: Self.cart))
    let denied = try self.grants(
      #"[{"allow":"manage"},{"deny":"act","do":["clear"]}]"#, #"{"sub":"ada"}"#)
    #expect(denied.allow(.act, to: Self.cart, for: .action("add")))
    #expect(!denied.allow(.act, to: Self.cart, for: .action("clear")))
    #expect(denied.allow(.signal, to: Self.cart))
    #expect(denied.allow(.manage, to: Self.cart))
  }

  @Test(arguments: [
    #"[{"allow":"read","deny":"act"}]"#, #"[{"deny":"x"}]"#, #"[{"allow":"manage","do":["a"]}]"#,
    #"[{"allow":"act","do":[]}]"#, #"[{"allow":"act","do":"a"}]"#, #"[{"allow":"act","do":[1]}]"#,
    #"[{"deny":"read","anonymous":true}]"#, #"[{"allow":"read","if":{"a":null}}]"#,
    #"[{"allow":"read","if":{"a":[]}}]"#, #"[{"allow":"read","if":{"a":{}}}]"#,
    #"[{"allow":"read","if":{"a":[["b"]]}}]"#,
  ])
  func `a malformed rule is rejected`(rules: String) {
    #expect(throws: ListSyntaxError.self) { try AccessRule.list(of: Array(rules.utf8)) }
  }
}
