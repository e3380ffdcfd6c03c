import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

struct AccessTokensTests {
  private static let file = """
    # comments and empty lines are ignored

    reader-of-everything-1 read
    writer-of-the-counter-1\twrite counter,chat
    sha256:30e8cf4a1ea8aa7ee5d9ac39fa2fdf8b0f26bf75b0a61a6e2cb9d0bb4d3ba7b3 admin
    """

  private func check(
    _ method: String, _ target: String, _ authorization: String?, inQuery: Bool = false,
    file: String = file
  ) throws -> String? {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    let request = HTTPRequest(
      method: method, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
      headers: authorization.map { [(.authorization, $0)] } ?? HTTPRequestHeaders())
    let tokens = try AccessTokens(file)
    let api = Service(settings: {
      $0.tokens = tokens
      $0.takesTokenInQuery = inQuery
    }).api
    do throws(Problem) {
      try api.admit(request, RequestScope(request, in: api))
      return nil
    } catch {
      return error.kind.rawValue
    }
  }

  private let session = "/v1/reactors/counter/sessions/a"

  @Test func `data needs a token`() throws {
    #expect(try check("GET", session, nil) == "unauthorized")
    #expect(try check("GET", session, "Basic eDp5") == "unauthorized")
    #expect(try check("GET", session, "Bearer") == "unauthorized")
    #expect(try check("GET", session, "Bearer reader-of-everything-2") == "unauthorized")
    #expect(try check("GET", "/metrics", nil) == "unauthorized")
  }

  @Test func `pages, probes and unknown paths need no token`() throws {
    for path in ["/", "/page.js", "/healthz", "/readyz", "/problems/not-found", "/nothing"] {
      #expect(try check("GET", path, nil) == nil)
    }
  }

  @Test func `each right includes those below it`() throws {
    let reader = "Bearer reader-of-everything-1"
    let writer = "bearer   writer-of-the-counter-1"
    #expect(try check("GET", session, reader) == nil)
    #expect(try check("POST", session + "/actions", reader) == "forbidden")
    #expect(try check("DELETE", session, reader) == "forbidden")
    #expect(try check("GET", session, writer) == nil)
    #expect(try check("POST", session + "/actions", writer) == nil)
    #expect(try check("PUT", "/v1/globals/motto", reader) == "forbidden")
  }

  @Test func `a limited token is accepted for its reactors only`() throws {
    let writer = "Bearer writer-of-the-counter-1"
    #expect(try check("GET", "/v1/reactors/weather/sessions/a", writer) == "forbidden")
    #expect(try check("GET", "/v1/reactors/chat", writer) == nil)
    #expect(try check("GET", "/v1/globals", writer) == "forbidden")
    #expect(try check("GET", "/metrics", writer) == "forbidden")
    #expect(try check("GET", "/v1/reactors", writer) == nil)
    #expect(try check("GET", "/v1/events?session=counter/a&session=chat/b", writer) == nil)
    #expect(
      try check("GET", "/v1/events?session=counter/a&session=weather/b", writer) == "forbidden")
  }

  @Test func `reactors that are not hosted are reported`() throws {
    let tokens = try AccessTokens(Self.file)
    #expect(tokens.unknownReactors(hosted: ["chat", "weather"]) == ["counter"])
    #expect(tokens.unknownReactors(hosted: ["chat", "counter"]).isEmpty)
  }

  @Test func `a digest stands for its token`() throws {
    let digest = SHA256.hexadecimal(of: Array("the-administrator".utf8))
    let file = "sha256:\(digest) admin"
    let admin = "Bearer the-administrator"
    #expect(try check("PUT", "/v1/globals/motto", admin, file: file) == nil)
    // The digest itself is not a token.
    #expect(try check("GET", session, "Bearer sha256:\(digest)", file: file) == "unauthorized")
  }

  @Test func `a stream accepts the token in its address if configured`() throws {
    let target = session + "/events?access_token=reader-of-everything-1"
    #expect(try check("GET", target, nil) == "unauthorized")
    #expect(try check("GET", target, nil, inQuery: true) == nil)
    let state = session + "/state?access_token=reader-of-everything-1"
    #expect(try check("GET", state, nil, inQuery: true) == "unauthorized")
  }

  @Test(arguments: [
    "short read", "a-long-enough-token", "a-long-enough-token write a b", "a-long-enough-token own",
    "sha256:12 read",
  ])
  func `a malformed line is reported with its number`(line: String) {
    #expect { try AccessTokens("# first\n" + line) } throws: { error in
      (error as? AccessTokens.SyntaxError)?.line == 2
    }
  }
}
