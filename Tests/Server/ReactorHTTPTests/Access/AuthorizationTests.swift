import Identity
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// The decision on requests by credential and right.
struct AuthorizationTests {
  private static let file = """
    reader-of-everything-1 read
    writer-of-the-number-1\twrite number
    sha256:30e8cf4a1ea8aa7ee5d9ac39fa2fdf8b0f26bf75b0a61a6e2cb9d0bb4d3ba7b3 admin
    token-of-user-ada-01 read nothing as=ada
    """
  private static let rules = #"[{"allow":"manage","to":"number/{sub}"}]"#
  private let service: Service

  init() {
    // The placeholder of a pattern stands for a claim, and the principal of a static token has no
    // claims.
    service = Service(settings: {
      $0.authentication = .tokens(Self.file, rules: Self.rules)
      $0.takesTokenInQuery = true
    })
  }

  private func ask(
    _ method: String, _ target: String, _ token: String?, body: String? = nil
  ) throws -> HTTPResponse {
    try service.ask(
      method, target, token.map { [(.authorization, "Bearer \($0)")] } ?? [], body: body)
  }

  private let session = "/v1/reactors/number/sessions/a"

  @Test func `data needs a credential`() throws {
    for path in [session, "/metrics", "/v1/reactors", "/v1/globals", "/v1/events?session=number/a"]
    {
      let response = try ask("GET", path, nil)
      #expect(response.problem == "401 unauthorized", "\(path)")
      #expect(response[field: "WWW-Authenticate"] == #"Bearer realm="reactord""#)
    }
    let basic = try service.ask("GET", session, [(.authorization, "Basic eDp5")])
    #expect(basic.problem == "401 unauthorized")
  }

  @Test func `an unknown token is named as invalid`() throws {
    let response = try ask("GET", session, "reader-of-everything-2")
    #expect(response.problem == "401 unauthorized")
    #expect(
      response[field: "WWW-Authenticate"]
        == #"Bearer realm="reactord", error="invalid_token", error_description="The token is unknown""#
    )
    #expect(!response.text.contains("reader-of-everything-2"))
  }

  @Test func `pages, probes, preflights and unknown paths need no credential`() throws {
    for path in ["/", "/page.css", "/healthz", "/readyz", "/problems/not-found"] {
      #expect(try ask("GET", path, nil).status == 200)
    }
    #expect(try ask("GET", "/nothing", nil).problem == "404 not-found")
    #expect(try ask("OPTIONS", session, nil).status == 204)
  }

  @Test func `each right includes those below it`() throws {
    let (reader, writer) = ("reader-of-everything-1", "writer-of-the-number-1")
    #expect(try ask("GET", session, reader).status == 200)
    let forbidden = try ask("POST", session + "/actions", reader, body: #"{"add":1}"#)
    #expect(forbidden.problem == "403 forbidden")
    #expect(
      forbidden[field: "WWW-Authenticate"]
        == #"Bearer realm="reactord", error="insufficient_scope", scope="reactord:act""#)
    #expect(try ask("DELETE", session, reader).problem == "403 forbidden")
    #expect(try ask("POST", session + "/actions", writer, body: #"{"add":1}"#).status == 200)
    #expect(try ask("DELETE", session, writer).status == 204)
    #expect(try ask("PUT", "/v1/globals/motto", reader, body: "1").problem == "403 forbidden")
  }

  @Test func `a right to some reactors is not a right to the service`() throws {
    let writer = "writer-of-the-number-1"
    for path in ["/v1/globals", "/v1/globals/motto", "/v1/globals/motto/events", "/metrics"] {
      #expect(try ask("GET", path, writer).problem == "403 forbidden")
    }
    #expect(try ask("GET", "/v1/reactors", writer).text.contains(#""name":"number""#))
    #expect(try ask("GET", "/openapi.json", writer).status == 200)
    #expect(
      try ask("GET", "/v1/events?session=number/a&session=other/b", writer).problem
        == "403 forbidden")
  }

  @Test func `a rejection does not depend on whether the session exists`() throws {
    #expect(try ask("PUT", session, "writer-of-the-number-1").status == 201)
    let ada = "token-of-user-ada-01"
    let (known, unknown) = (try ask("GET", session, ada), try ask("GET", session + "x", ada))
    #expect(known.problem == "403 forbidden")
    #expect(known.text == unknown.text)
    #expect(try ask("GET", "/v1/reactors/unknown/sessions/a", ada).problem == "403 forbidden")
    // The response is 403 also for a method that the path does not have.
    #expect(try ask("POST", session, ada).problem == "403 forbidden")
  }

  @Test func `a stream takes the token in its address if configured`() throws {
    let target = session + "/events?access_token=reader-of-everything-1"
    #expect(try ask("GET", target, nil).status == 200)
    let state = session + "/state?access_token=reader-of-everything-1"
    #expect(try ask("GET", state, nil).problem == "401 unauthorized")
    let other = Service(settings: { $0.authentication = .tokens(Self.file) })
    #expect(try other.ask("GET", target).problem == "401 unauthorized")
  }

  @Test func `anonymous requests have the rights of rules for them`() throws {
    let rules = #"[{"allow":"read","to":"number/public-*","anonymous":true}]"#
    let service = Service(settings: { $0.authentication = .tokens(Self.file, rules: rules) })
    let root = Service.root
    #expect(try service.ask("GET", root + "/public-1").status == 200)
    #expect(try service.ask("GET", root + "/private").problem == "401 unauthorized")
    #expect(
      try service.ask("POST", root + "/public-1/actions", body: #"{"add":1}"#).problem
        == "401 unauthorized")
    #expect(try service.ask("GET", "/v1/reactors").text.contains(#""name":"number""#))
    #expect(try service.ask("POST", "/v1/tickets").problem == "401 unauthorized")
    // An invalid credential is not an anonymous request.
    #expect(
      try service.ask("GET", root + "/public-1", [(.authorization, "Bearer nothing")]).problem
        == "401 unauthorized")
  }

  @Test func `a list has the sessions that may be read`() throws {
    let rules = #"[{"allow":"read","to":"number/b*","anonymous":true}]"#
    let service = Service(settings: { $0.authentication = .tokens(Self.file, rules: rules) })
    let writer = [(name: HTTPHeader.authorization, value: "Bearer writer-of-the-number-1")]
    for index in 0..<5 {
      for letter in ["a", "b", "c"] {
        _ = try service.ask("PUT", "\(Service.root)/\(letter)\(index)", writer)
      }
    }
    var (target, pages) = (Service.root + "?limit=2", [[Substring]]())
    while pages.count < 9 {
      let response = try service.ask("GET", target)
      pages.append(response.text.split(separator: #""id":""#).dropFirst().map { $0.prefix(2) })
      guard let link = response[field: "Link"] else { break }
      target = String(link.dropFirst().prefix { $0 != ">" })
    }
    #expect(pages == [["b0", "b1"], ["b2", "b3"], ["b4"]])
  }

  @Test func `a created session and its origin need their rights`() throws {
    let rules = """
      [{"allow":"manage","to":"number/mine-*","anonymous":true},
       {"allow":"read","to":"number/shared","anonymous":true}]
      """
    let service = Service(settings: { $0.authentication = .tokens(Self.file, rules: rules) })
    let root = Service.root
    let writer = [(name: HTTPHeader.authorization, value: "Bearer writer-of-the-number-1")]
    for id in ["shared", "secret"] {
      _ = try service.ask("POST", "\(root)/\(id)/actions", writer, body: #"{"add":1}"#)
    }
    #expect(try service.ask("POST", root, body: #"{"id":"mine-1"}"#).status == 201)
    #expect(try service.ask("POST", root, body: #"{"id":"yours"}"#).problem == "401 unauthorized")
    #expect(try service.ask("POST", root).problem == "401 unauthorized", "a generated id")
    func fork(_ source: String) throws -> HTTPResponse {
      try service.ask(
        "POST", root, body: #"{"id":"mine-\#(source)","from":{"session":"\#(source)"}}"#)
    }
    #expect(try fork("shared").status == 201)
    #expect(try fork("secret").problem == "401 unauthorized")
    #expect(try fork("unknown").problem == "401 unauthorized")
  }

  @Test func `the principal is in the log`() throws {
    let file = "token-of-user-ada-01 act number as=ada"
    let service = Service(settings: { $0.authentication = .tokens(file) })
    let token = [(name: HTTPHeader.authorization, value: "Bearer token-of-user-ada-01")]
    _ = try service.ask(
      "POST", "\(Service.root)/a/actions", token, body: #"{"add":1}"#)
    let log = try service.ask("GET", "\(Service.root)/a/log", token).text
    #expect(log.contains(#""by":"ada""#))
  }

  @Test func `a token on a persistent connection is valid until the tokens are replaced`() throws {
    let service = Service(settings: {
      $0.authentication = .tokens("token-of-user-ada-01 act number as=ada")
    })
    // A transport passes the header fields of a request again with the next request on its
    // connection.
    let fields: HTTPRequestHeaders = [
      (.contentType, "application/json"), (.authorization, "Bearer token-of-user-ada-01"),
    ]
    func act(in session: String = "a") throws -> HTTPResponse {
      let responses = Recorder<HTTPResponse>()
      service.api.respond(
        to: HTTPRequest(
          method: "POST", path: "\(Service.root)/\(session)/actions", headers: fields,
          body: Array(#"{"add":1}"#.utf8)),
        reply: { responses.add($0) })
      return try #require(responses.values.first)
    }
    #expect(try act().status == 200)
    #expect(try act().status == 200)
    service.api.replaceAuthentication(.tokens("token-of-user-ada-01 read number as=ada"))
    #expect(try act().problem == "403 forbidden")
    service.api.replaceAuthentication(.tokens("another-token-of-it act number"))
    #expect(try act().problem == "401 unauthorized")
    #expect(try act().problem == "401 unauthorized")
    service.api.replaceAuthentication(.tokens("token-of-user-ada-01 act number as=ada"))
    #expect(try act().status == 200)
  }

  @Test func `a token on a persistent connection has the rights of each session`() throws {
    let service = Service(settings: {
      $0.authentication = .tokens("token-of-user-ada-01 read nothing", rules: Self.anyone)
    })
    let fields: HTTPRequestHeaders = [
      (.contentType, "application/json"), (.authorization, "Bearer token-of-user-ada-01"),
    ]
    func ask(_ method: String, _ path: String) throws -> Int {
      let responses = Recorder<HTTPResponse>()
      let body = method == "POST" ? Array(#"{"add":1}"#.utf8) : []
      service.api.respond(
        to: HTTPRequest(
          method: method, path: Service.root + path, headers: fields, body: body),
        reply: { responses.add($0) })
      return try #require(responses.values.first).status
    }
    for _ in 0..<2 {
      #expect(try ask("POST", "/a/actions") == 200)
      #expect(try ask("POST", "/b/actions") == 403)
      #expect(try ask("GET", "/a/state") == 200)
      #expect(try ask("DELETE", "/a") == 403)
      #expect(try ask("POST", "/a/actions") == 200)
      #expect(try ask("POST", "/aa/actions") == 403)
    }
  }

  private static let anyone = """
    [{"allow":"act","to":"number/a","anonymous":true}]
    """
}
