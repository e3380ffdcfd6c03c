import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Requests that a web page of another origin causes.
struct ForeignPageTests {
  typealias Fields = [(name: HTTPHeader, value: String)]

  @Test(arguments: [
    ("localhost", true), ("LOCALHOST:8080", true), ("127.0.0.1:80", true), ("127.9.9.9", true),
    ("[::1]:8080", true), ("a.localhost", true), ("localhost.", true), ("evil.example", false),
    ("localhost.evil.example", false), ("192.168.1.1", false), ("", false), ("[::2]", false),
  ])
  func `a rebound name is rejected on a loopback address`(host: String, isAccepted: Bool) throws {
    let service = Service(settings: { $0.hosts = .loopback })
    let response = try service.ask("GET", "/v1/reactors", [(.host, host)])
    #expect(response.status == (isAccepted ? 200 : 421))
    guard !isAccepted else { return }
    #expect(response.problem == "421 misdirected-request")
    #expect(response.text.contains("http.hosts"))
    #expect(try service.ask("GET", "/readyz", [(.host, host)]).status == 200)
  }

  @Test func `only configured names are accepted`() throws {
    let service = Service(settings: { $0.hosts = .names(["app.example"]) })
    #expect(try service.ask("GET", "/v1/reactors", [(.host, "App.Example:443")]).status == 200)
    #expect(try service.ask("GET", "/v1/reactors", [(.host, "localhost")]).status == 421)
    #expect(try service.ask("GET", "/v1/reactors").status == 200)
  }

  private static let foreign: [Fields] = [
    [(.origin, "https://evil.example"), (.host, "localhost:8080")],
    [(.origin, "null"), (.host, "localhost:8080")],
    [(.origin, "http://localhost:9090"), (.host, "localhost:8080")],
    [(.secFetchSite, "cross-site")],
    [(.secFetchSite, "same-site"), (.origin, "https://other.example")],
    [(.origin, "https://evil.example")],
  ]

  @Test(arguments: foreign)
  func `a foreign page changes nothing`(fields: Fields) throws {
    let service = Service()
    let requests: [(String, String, HTTPHeader?, String?)] = [
      ("POST", "\(Service.root)/demo/actions", nil, #"{"add":1}"#),
      // A browser sends a POST without a body, or with a text, without a preflight.
      ("POST", Service.root, nil, nil), ("POST", Service.root, .contentType, ""),
      ("PUT", "\(Service.root)/demo", nil, nil), ("DELETE", "\(Service.root)/demo", nil, nil),
      ("PUT", "/v1/globals/motto", nil, #""x""#),
    ]
    for (method, path, type, body) in requests {
      let response = try service.ask(
        method, path, fields + (type.map { [($0, "text/plain")] } ?? []), body: body)
      #expect(response.problem == "403 foreign-origin", "\(method) \(path)")
      #expect(response.text.contains("cors.origins"))
    }
    #expect(try service.ask("GET", Service.root).text == #"{"sessions":[]}"#)
  }

  @Test(
    arguments: [
      [(.origin, "http://localhost:8080"), (.host, "localhost:8080")],
      [(.origin, "https://app.example"), (.host, "App.example")],
      [(.secFetchSite, "same-origin"), (.origin, "https://app.example"), (.host, "10.0.0.1")],
      [(.secFetchSite, "none")], [],
    ] as [Fields])
  func `a page of the service and other clients change state`(fields: Fields) throws {
    #expect(try Service().act(#"{"add":1}"#, fields).status == 200)
  }

  @Test func `a page of an allowed origin changes state`() throws {
    let service = Service(settings: {
      $0.crossOrigin.origins = AllowedOrigins(["https://app.example"]) ?? AllowedOrigins()
    })
    let fields: Fields = [(.origin, "https://app.example"), (.secFetchSite, "cross-site")]
    #expect(try service.act(#"{"add":1}"#, fields).status == 200)
  }
}
