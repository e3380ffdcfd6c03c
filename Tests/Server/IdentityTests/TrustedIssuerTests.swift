import Testing

@testable import Identity

/// `auth.issuers`.
struct TrustedIssuerTests {
  private func list(_ text: String) throws -> [TrustedIssuer] {
    try TrustedIssuer.list(of: Array(text.utf8))
  }

  @Test func `an issuer has a name and the address of its configuration`() throws {
    let list = try list(
      """
      [{"issuer":"https://tenant.example.com/","audience":"shop"},
       {"issuer":"https://Login.example.com:8443/realms/shop","audience":["a","b"],"name":"corp"},
       {"issuer":"http://127.0.0.1:9000/x","audience":[],"keys":"http://localhost/keys?v=2","name":""}]
      """)
    #expect(list.map(\.name) == ["tenant.example.com", "corp", ""])
    #expect(list.map(\.audience) == [["shop"], ["a", "b"], []])
    #expect(
      list.map { $0.configuration?.description } == [
        "https://tenant.example.com/.well-known/openid-configuration",
        "https://login.example.com:8443/realms/shop/.well-known/openid-configuration",
        "http://127.0.0.1:9000/x/.well-known/openid-configuration",
      ])
    #expect(list[2].keys?.description == "http://localhost/keys?v=2")
  }

  @Test(arguments: [
    "{}", "[1]", #"[{"audience":"a"}]"#, #"[{"issuer":"https://a.example"}]"#,
    #"[{"issuer":"https://a.example","audience":""}]"#,
    #"[{"issuer":"https://a.example","audience":["a",1]}]"#,
    #"[{"issuer":"https://a.example","audience":7}]"#,
    #"[{"issuer":"http://a.example","audience":"a"}]"#,
    #"[{"issuer":"http://localhost.a.example","audience":"a"}]"#,
    #"[{"issuer":"http://127.0.0.1@a.example","audience":"a"}]"#,
    #"[{"issuer":"http://[::1]x","audience":"a"}]"#,
    #"[{"issuer":"https://","audience":"a"}]"#,
    #"[{"issuer":"https://a.example?x=1","audience":"a"}]"#,
    #"[{"issuer":"https://a.example#x","audience":"a"}]"#,
    #"[{"issuer":"https://a.example/|x","audience":"a"}]"#,
    #"[{"issuer":"https://a.example","audience":"a","name":"a|b"}]"#,
    #"[{"issuer":"https://a.example","audience":"a","keys":"ftp://a"}]"#,
    #"[{"issuer":"https://a.example","audience":"a","tenant":"x"}]"#,
    #"[{"issuer":"https://a.example","issuer":"https://b.example","audience":"a"}]"#,
    #"[{"issuer":"https://a.example","audience":"a"},{"issuer":"https://a.example","audience":"b","name":"x"}]"#,
    #"[{"issuer":"https://a.example","audience":"a","name":"x"},{"issuer":"https://b.example","audience":"b","name":"x"}]"#,
  ])
  func `a list that is not safe is rejected`(text: String) {
    #expect(throws: ListSyntaxError.self, "\(text)") { try list(text) }
  }

  @Test func `the number of issuers is bounded`() throws {
    func many(_ count: Int) -> String {
      let list = (0..<count).map { #"{"issuer":"https://\#($0).example","audience":"a"}"# }
      return "[" + list.joined(separator: ",") + "]"
    }
    #expect(try list(many(TrustedIssuer.limit)).count == TrustedIssuer.limit)
    #expect(throws: ListSyntaxError.self) { try list(many(TrustedIssuer.limit + 1)) }
  }

  @Test(arguments: [
    ("/b?c", "https://a.example/b?c"), ("https://a.example/b", "https://a.example/b"),
    ("https://A.example/b", "https://a.example/b"), ("//b.example/", nil),
    ("https://b.example/", nil), ("http://a.example/", nil), ("https://a.example:444/", nil),
    ("", nil), ("file:///etc/passwd", nil),
  ])
  func `a redirect to another host is not followed`(location: String, expected: String?) {
    let url = ProviderURL("https://a.example/keys")
    #expect(url?.redirected(to: location)?.description == expected)
  }
}
