import Identity
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Credentials in a cookie.
struct CookieTests {
  private let service = Service(settings: {
    $0.authentication = .tokens("a-token-in-a-cookie read")
    $0.cookie = "session"
  })
  private let path = Service.root + "/a"

  private func status(_ cookie: String, _ more: [(name: HTTPHeader, value: String)] = []) throws
    -> String
  {
    let response = try service.ask("GET", path, [(.cookie, cookie)] + more)
    return response.problem ?? "\(response.status)"
  }

  @Test(arguments: [
    ("session=a-token-in-a-cookie", "200"), ("a=b; session=a-token-in-a-cookie", "200"),
    ("session=a-token-in-a-cookie; session=other", "200"), ("sessions=a-token-in-a-cookie", "401"),
    ("a=session=a-token-in-a-cookie", "401"), ("session", "401"), ("session=", "401"), ("", "401"),
    ("session=another-token-value", "401"),
  ])
  func `the value of the cookie is the credential`(cookie: String, expected: String) throws {
    #expect(try status(cookie).hasPrefix(expected))
  }

  @Test func `a cookie in a request of a foreign page is rejected, for reading too`() throws {
    let cookie = "session=a-token-in-a-cookie"
    #expect(try status(cookie, [(.secFetchSite, "cross-site")]) == "403 foreign-origin")
    #expect(
      try status(cookie, [(.origin, "https://evil.example"), (.host, "127.0.0.1")])
        == "403 foreign-origin")
    #expect(try status(cookie, [(.secFetchSite, "same-origin")]) == "200")
  }

  @Test func `a bearer token comes before the cookie`() throws {
    #expect(
      try status("session=a-token-in-a-cookie", [(.authorization, "Bearer nothing")])
        == "401 unauthorized")
    #expect(
      try status("session=nothing", [(.authorization, "Bearer a-token-in-a-cookie")]) == "200")
  }

  @Test func `without the setting cookies are ignored`() throws {
    let service = Service(settings: { $0.authentication = .tokens("a-token-in-a-cookie read") })
    let response = try service.ask("GET", path, [(.cookie, "session=a-token-in-a-cookie")])
    #expect(response.problem == "401 unauthorized")
  }
}
