import ReactorTransport
import Testing

@testable import ReactorHTTP

/// `cors.origins`: the origins that web pages and apps have.
struct AllowedOriginsTests {
  /// Origins as the platforms write them: pages, and apps in web views.
  private static let origins = [
    "https://example.org", "http://localhost:5173", "http://[::1]:8080",
    "https://xn--bcher-kva.example",
    "capacitor://localhost", "app://.", "app://-", "ionic://localhost", "tauri://localhost",
    "app://obsidian.md",
    "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
    "moz-extension://4e2d6f0a-9a3a-4c62-b7a6-1a2b3c4d5e6f",
    "safari-web-extension://8CAFE6E8-6A5D-4B0D-9C6C-0E2B4D9A1F11", "vscode-webview://1a2b",
    "file://", "null",
  ]

  @Test(arguments: origins)
  func `a page of each kind of origin may read, act and ask before`(origin: String) throws {
    let allowed = try #require(AllowedOrigins([origin]))
    let service = Service(settings: {
      $0.crossOrigin = CrossOrigin(origins: allowed, headers: ["X-App"])
    })
    let path = Service.root + "/a/actions"
    let page: [(name: HTTPHeader, value: String)] = [
      (.origin, origin), (.secFetchSite, "cross-site"),
    ]
    let action = try service.ask(
      "POST", path, page + [(.contentType, "application/json")], body: #"{"add":1}"#)
    #expect(action.status == 200)
    #expect(action[field: "Access-Control-Allow-Origin"] == origin)
    let preflight = try service.ask("OPTIONS", path, page + [(.accessControlRequestMethod, "POST")])
    #expect(preflight[field: "Access-Control-Allow-Origin"] == origin)
    let fields = preflight[field: "Access-Control-Allow-Headers"]?.split(separator: ", ") ?? []
    #expect(Set(fields).isSuperset(of: ["Content-Type", "tracestate", "baggage", "X-App"]))
    #expect(Service(settings: { _ in }).rejects(origin, path))
  }

  @Test func `an asterisk is all subdomains, of one scheme and port`() throws {
    let origins = try #require(
      AllowedOrigins(["https://*.example.com", "https://*.dev.example:8443"]))
    for origin in [
      "https://a.example.com", "https://a.b-c.example.com", "https://x.dev.example:8443",
    ] {
      #expect(origins.contains(origin))
    }
    for origin in [
      "https://example.com", "https://.example.com", "http://a.example.com",
      "https://a.example.com:8443",
      "https://aexample.com", "https://a.example.com.evil.org", "https://evil.org/a.example.com",
      "https://evil.org:1.example.com", "https://x.dev.example", "https://a@b.example.com", "null",
    ] {
      #expect(!origins.contains(origin), "\(origin)")
    }
  }

  @Test(arguments: [
    ("https://Example.ORG", "https://example.org"),
    ("HTTPS://example.org:443", "https://example.org"),
    ("http://example.org:80", "http://example.org"),
    ("https://example.org:80", "https://example.org:80"),
    ("https://*.Example.com:443", "https://*.example.com"),
  ])
  func `an origin is read in the form of browsers`(text: String, origin: String) throws {
    #expect(try #require(AllowedOrigins([text])).texts == [origin])
  }

  @Test(arguments: [
    "*", "https://*", "https://*.", "https://a.*.org", "*.example.org", "example.org",
    "https://example.org/",
    "https://a b", "https://", "://a", "https://:80", "1a://b", "https://user@a", "https://a?b", "",
  ])
  func `another text is no origin`(text: String) {
    #expect(AllowedOrigins([text]) == nil)
  }
}

extension Service {
  /// Whether an action of a page of an origin is rejected.
  fileprivate func rejects(_ origin: String, _ path: String) -> Bool {
    let response = try? ask(
      "POST", path,
      [(.origin, origin), (.secFetchSite, "cross-site"), (.contentType, "application/json")],
      body: #"{"add":1}"#)
    return response?.status == 403
  }
}
