import Identity
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Rules about single actions, and denials.
struct ActionRuleTests {
  private static func bearer(_ claims: String) -> [(name: HTTPHeader, value: String)] {
    [(.authorization, "Bearer \(SignedToken.make(claims))")]
  }

  private func service(_ rules: String) throws -> Service {
    let configuration = try SignedToken.configuration(rules: rules)
    return Service(settings: { $0.authentication = configuration })
  }

  @Test func `only the actions of the rule are executed, all of an array or none`() throws {
    let service = try service(#"[{"allow":"act","do":["add","hold"],"to":"number/{sub}"}]"#)
    let ada = Self.bearer(#"{"sub":"ada"}"#)
    func act(_ body: String) throws -> HTTPResponse {
      try service.ask("POST", "\(Service.root)/ada/actions", ada, body: body)
    }
    for _ in 0..<2 { #expect(try act(#"{"add":1}"#).status == 200) }
    for body in [
      #"{"label":"x"}"#, #""fail""#, #"[{"add":1},{"label":"x"}]"#, "1", "{}", "null", "[1]",
      #"{"add":1,"label":"x"}"#,
    ] {
      #expect(try act(body).problem == "403 forbidden", "\(body)")
    }
    #expect(try act("{").problem == "400 malformed-json")
    #expect(try act("[]").status == 200)
    #expect(try act(#"[{"add":1},{"add":2}]"#).text.contains(#""value":5"#))
    let signal = try service.ask("POST", "\(Service.root)/ada/signals", ada, body: "1")
    #expect(signal.problem == "403 forbidden")
  }

  @Test func `a session that is denied is neither listed nor read by an administrator`() throws {
    let service = try service(#"[{"allow":"admin"},{"deny":"read","to":"number/secret"}]"#)
    let root = Self.bearer(#"{"sub":"root"}"#)
    #expect(try service.ask("PUT", "\(Service.root)/open", root).status == 201)
    #expect(try service.ask("PUT", "\(Service.root)/secret", root).problem == "403 forbidden")
    service.api.replaceAuthentication(try SignedToken.configuration(rules: #"[{"allow":"admin"}]"#))
    #expect(try service.ask("PUT", "\(Service.root)/secret", root).status == 201)
    service.api.replaceAuthentication(
      try SignedToken.configuration(
        rules: #"[{"allow":"admin"},{"deny":"read","to":"number/secret"}]"#))
    let list = try service.ask("GET", Service.root, root).text
    #expect(list.contains("open"))
    #expect(!list.contains("secret"))
    #expect(try service.ask("GET", "\(Service.root)/secret/state", root).status == 403)
  }
}
