import ReactorCore
import Testing

@testable import Identity

/// Claims that follow from others by regular expressions.
struct DerivedClaimTests {
  @Test(
    arguments: [
      (#"^auth0\|(.*)$"#, "auth0|5f7c", "5f7c"), (#"auth0\|(.*)"#, "evil-auth0|5f7c", nil),
      ("(.*)@example\\.com", "ada@example.com", "ada"),
      ("(.*)@example\\.com", "ada@exampleXcom", nil),
      ("(.*)@example\\.com", "ada@example.com.evil", nil), ("(a|b)+c", "abac", "a"),
      ("a*", "", ""), ("a+", "", nil), ("a?b", "b", "b"), ("(a+?)(?:a*)", "aaa", "a"),
      ("(a+)(?:a*)", "aaa", "aaa"), ("[a-c_-]+", "a-_c", "a-_c"), ("[^|]+\\|(\\d+)", "x|12", "12"),
      ("(?:ab|a)(bc|c)?", "abc", "c"), ("(?:a|(b))c", "ac", nil), ("(.)", "é", "é"), ("|a", "", ""),
      ("[\\w.]+", "a.b", "a.b"), ("(?:(?:a))", "a", "a"), ("(x*)*y", "xxy", "xx"),
      ("\\$(.*)", "$5", "5"), ("(.*) ", "a\nb ", "a\nb"),
    ] as [(String, String, String?)])
  func `a text is matched from its beginning to its end`(
    expression: String, text: String, group: String?
  ) throws {
    #expect(try ClaimExpression(expression).match(text) == group)
  }

  @Test(arguments: [
    ("(", "a ( without )"), (")", "a ) without ("), ("[", "a [ without ]"), ("[]", "is empty"),
    ("*a", "nothing is before *"), ("a**", "a second repetition"), ("a{2}", "{ } is not supported"),
    ("(a)(b)", "a second group"), ("(?=a)", "only (?:"), ("(a)\\1", "\\1 is not supported"),
    ("a^", "remove ^"), ("$a", "remove $"), ("\\", "nothing is after"), ("[z-a]", "the range ends"),
    ("[\\D]", "cannot be in [ ]"), (String(repeating: "a", count: 129), "more than 128 bytes"),
    (String(repeating: "(?:", count: 17) + String(repeating: ")", count: 17), "too deeply"),
  ])
  func `an expression that is not supported is an error that names the place`(
    expression: String, reason: String
  ) {
    do throws(ClaimExpression.SyntaxError) {
      _ = try ClaimExpression(expression)
      Issue.record("\(expression) is accepted")
    } catch {
      #expect(error.reason.contains(reason), "\(error.reason)")
    }
  }

  /// Expressions that take an exponential time if a match is searched by trying alternatives again: that search
  /// would not end.
  @Test(arguments: [
    "(?:a*)*b", "(?:a|a)*b", "(?:a|aa)+b", "(?:(?:a+)+)+b", "(?:.*a)*b", "(?:a?)*(?:a?)*(?:a?)*b",
    String(repeating: "a?", count: 32) + String(repeating: "a", count: 32) + "b",
    String(repeating: "(?:a*", count: 16) + "b" + String(repeating: ")*", count: 16) + "c",
  ])
  func `a hostile claim is rejected`(expression: String) throws {
    let expression = try ClaimExpression(expression)
    #expect(expression.match(String(repeating: "a", count: DerivedClaim.sizeLimit)) == nil)
  }

  private func grants(_ claims: String, _ derived: String, _ rules: String) throws -> Grants {
    let claims = try #require(StrictObject(Array(claims.utf8))?.claims)
    return Grants(
      rules: try AccessRule.list(of: Array(rules.utf8)),
      deriving: try DerivedClaim.list(of: Array(derived.utf8)),
      principal: Principal(id: claims.string("sub") ?? "", claims: claims))
  }

  private static let tenant = #"[{"claim":"tenant","from":"org.mail","matching":".*@(.*)"}]"#

  @Test func `patterns and conditions see the derived claim, and never that of the token`() throws {
    let rules = #"[{"allow":"act","to":"cart/{tenant}"},{"allow":"manage","if":{"tenant":"acme"}}]"#
    let acme = try grants(
      #"{"sub":"a","org":{"mail":"a@acme"},"tenant":"other"}"#, Self.tenant, rules)
    #expect(acme.allow(.act, to: .session(reactor: "cart", id: "acme")))
    #expect(acme.allow(.manage, to: .service))
    #expect(
      !acme.allow(.act, to: .session(reactor: "cart", id: "other"))
        || acme.allow(.manage, to: .service))
    for claims in [
      #"{"sub":"a","org":{"mail":"acme"},"tenant":"acme"}"#, #"{"sub":"a","tenant":"acme"}"#,
      #"{"sub":"a","org":{"mail":"\#(String(repeating: "x", count: 1_024))@acme"},"tenant":"acme"}"#,
      #"{"sub":"a","org":{"mail":7},"tenant":"acme"}"#,
    ] {
      let other = try grants(claims, Self.tenant, rules)
      #expect(!other.allow(.read, to: .session(reactor: "cart", id: "acme")), "\(claims)")
      #expect(!other.allow(.read, to: .service), "\(claims)")
    }
  }

  @Test func `the path of a derived claim never leads to the claim of the token`() throws {
    let derived = #"[{"claim":"org.tenant","from":"mail","matching":".*@(.*)"}]"#
    let rules =
      #"[{"allow":"act","to":"cart/{org.tenant}"},{"allow":"manage","if":{"org.tenant":"acme"}}]"#
    for (mail, isMember) in [("a@acme", true), ("a", false)] {
      let grants = try grants(
        #"{"sub":"a","mail":"\#(mail)","org":{"tenant":"acme"}}"#, derived, rules)
      #expect(grants.allow(.act, to: .session(reactor: "cart", id: "acme")) == isMember)
      #expect(grants.allow(.manage, to: .service) == isMember)
    }
  }

  @Test func `an explanation has the value`() throws {
    let explanation = try grants(#"{"sub":"a","org":{"mail":"a@acme"}}"#, Self.tenant, "[]")
      .explain(
        .read, to: .service, for: .some, configured: 0, isRevoked: false)
    #expect(explanation.derived.map(\.value) == ["acme"])
    #expect(explanation.derived.map(\.from) == ["org.mail"])
  }

  @Test(arguments: [
    "{}", "[7]", #"[{"claim":"a","from":"sub"}]"#, #"[{"claim":"","from":"sub","matching":"a"}]"#,
    #"[{"claim":"a","from":"sub","matching":"("}]"#,
    #"[{"claim":"a","from":"sub","matching":"a","to":"b"}]"#,
    #"[{"claim":"a","from":"b","matching":"a"},{"claim":"a","from":"c","matching":"a"}]"#,
  ])
  func `a malformed list is rejected`(json: String) {
    #expect(throws: ListSyntaxError.self) { try DerivedClaim.list(of: Array(json.utf8)) }
  }
}
