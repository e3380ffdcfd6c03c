import Identity
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Credentials in a cookie.
struct CookieTests {
  private static let token = SignedToken.make(
    #"{"sub":"ada","reactord":{"read":["*/*"]}}"#)

  private let service: Service
  private let path = Service.root + "/a"

  init() throws {
    var authentication = try SignedToken.configuration()
    authentication.staticTokens = try StaticTokens("a-static-token-value read")
    service = Service(settings: { [authentication] in
      $0.authentication = authentication
      $0.cookie = "session"
      $0.crossOrigin.origins = AllowedOrigins(["https://app.example"]) ?? AllowedOrigins()
    })
  }

  private func status(_ cookie: String, _ more: [(name: HTTPHeader, value: String)] = []) throws
    -> String
  {
    let response = try service.ask("GET", path, [(.cookie, cookie)] + more)
    return response.problem ?? "\(response.status)"
  }

  @Test(arguments: [
    ("session=\(token)", "200"), ("a=b; session=\(token)", "200"),
    ("session=\(token); session=other", "200"), ("sessions=\(token)", "401"),
    ("a=session=\(token)", "401"), ("session", "401"), ("session=", "401"), ("", "401"),
    ("session=another-token-value", "401"), ("session=a-static-token-value", "401"),
  ])
  func `the value of the cookie is the credential`(cookie: String, expected: String) throws {
    #expect(try status(cookie).hasPrefix(expected))
  }

  @Test func `a cookie in a request of a foreign page is rejected, for reading too`() throws {
    let cookie = "session=\(Self.token)"
    #expect(try status(cookie, [(.secFetchSite, "cross-site")]) == "403 foreign-origin")
    #expect(
      try status(cookie, [(.origin, "https://evil.example"), (.host, "127.0.0.1")])
        == "403 foreign-origin")
    #expect(try status(cookie, [(.secFetchSite, "same-origin")]) == "200")
  }

  @Test func `the cookie of an allowed origin counts only with cors.credentials`() throws {
    let cookie = "session=\(Self.token)"
    let page = [(name: HTTPHeader.origin, value: "https://app.example")]
    #expect(try status(cookie, page) == "401 unauthorized")
    let ofTheService = page + [(.host, "app.example")]
    #expect(try status(cookie, ofTheService) == "200")
    let authentication = try SignedToken.configuration()
    let trusting = Service(settings: {
      $0.authentication = authentication
      $0.cookie = "session"
      $0.crossOrigin = CrossOrigin(
        origins: AllowedOrigins(["https://app.example"]) ?? AllowedOrigins(),
        allowsCredentials: true)
    })
    #expect(try trusting.ask("GET", path, [(.cookie, cookie)] + page).status == 200)
  }

  @Test func `a bearer token comes before the cookie`() throws {
    #expect(
      try status("session=\(Self.token)", [(.authorization, "Bearer nothing")])
        == "401 unauthorized")
    #expect(
      try status("session=nothing", [(.authorization, "Bearer \(Self.token)")]) == "200")
  }

  @Test func `without the setting cookies are ignored`() throws {
    let authentication = try SignedToken.configuration()
    let service = Service(settings: { $0.authentication = authentication })
    let response = try service.ask("GET", path, [(.cookie, "session=\(Self.token)")])
    #expect(response.problem == "401 unauthorized")
  }
}
