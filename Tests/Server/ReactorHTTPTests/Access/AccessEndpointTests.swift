import Identity
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// `GET /v1/access`.
struct AccessEndpointTests {
  private static func bearer(_ claims: String) -> [(name: HTTPHeader, value: String)] {
    [(.authorization, "Bearer \(SignedToken.make(claims))")]
  }

  private static let admin = bearer(#"{"sub":"root","scope":"reactord:admin"}"#)
  private static let eve = bearer(#"{"sub":"eve"}"#)

  private func service() throws -> Service {
    let configuration = try SignedToken.configuration(
      rules: #"[{"allow":"act","to":"number/{sub}"}]"#)
    return Service(settings: { $0.authentication = configuration })
  }

  @Test func `a request that was denied is explained by its id, and shows no rule itself`() throws {
    let service = try service()
    let denied = try service.ask(
      "POST", "\(Service.root)/ada/actions", Self.eve, body: #"{"add":1}"#)
    #expect(denied.problem == "403 forbidden")
    #expect(!denied.text.contains("{sub}"))
    let id = try #require(denied[field: "X-Request-Id"])
    let answer = try service.ask("GET", "/v1/access?request=\(id)", Self.admin)
    #expect(answer.text.contains(#""isAllowed":false"#))
    #expect(answer.text.contains(#"The pattern stands for \"number/eve\"."#))
    #expect(answer.text.contains(#""on":"number/ada""#))
    #expect(try service.ask("GET", "/v1/access?request=\(id)", Self.eve).status == 403)
    #expect(
      try service.ask("GET", "/v1/access?request=other", Self.admin).problem == "404 not-found")
  }

  @Test(arguments: [
    ("POST", "/ada/actions", #""double""#, #""on":"number/ada""#),
    ("GET", "/v1/events?session=number/ada&session=number/bob", "", #""on":"number/bob""#),
  ])
  func `the explanation of a denial is about the action or the session that was denied`(
    method: String, path: String, body: String, target: String
  ) throws {
    let configuration = try SignedToken.configuration(
      rules: #"[{"allow":"act","do":["add"],"to":"number/{sub}"}]"#)
    let service = Service(settings: { $0.authentication = configuration })
    let ada = Self.bearer(#"{"sub":"ada"}"#)
    let denied = try service.ask(
      method, path.hasPrefix("/v1") ? path : Service.root + path, ada, body: body)
    #expect(denied.problem == "403 forbidden")
    let id = try #require(denied[field: "X-Request-Id"])
    let answer = try service.ask("GET", "/v1/access?request=\(id)", Self.admin)
    #expect(answer.text.contains(#""isAllowed":false"#))
    #expect(answer.text.contains(target), "\(answer.text)")
  }

  @Test func `a request with some claims is explained`() throws {
    let service = try service()
    let claims = "%7B%22sub%22:%22ada%22%7D"
    let allowed = try service.ask(
      "GET", "/v1/access?right=act&on=number/ada&claims=\(claims)", Self.admin)
    #expect(allowed.text.contains(#""isAllowed":true"#))
    let anonymous = try service.ask("GET", "/v1/access?right=act&on=number/ada", Self.admin)
    #expect(anonymous.text.contains("The request is anonymous."))
    for query in ["", "right=x", "right=act&claims=1", "right=act&claims=%7B%7D"] {
      let response = try service.ask("GET", "/v1/access?\(query)", Self.admin)
      #expect(response.problem == "400 invalid-parameter", "\(query)")
    }
  }

  @Test func `the number of denials is bounded, and the latest of an id is first`() throws {
    let service = try service()
    for index in 0..<Denials.limit + 5 {
      _ = try service.ask(
        "GET", "\(Service.root)/s\(index)/state",
        Self.eve + [(.requestID, index.isMultiple(of: 2) ? "even" : "id-\(index)")])
    }
    #expect(service.api.denials.find("id-1").isEmpty)
    #expect(service.api.denials.find("id-7").count == 1)
    let even = service.api.denials.find("even")
    #expect(even.count == 10)
    #expect(even.first?.missing.target.text == "number/s\(Denials.limit + 4)")
  }
}
