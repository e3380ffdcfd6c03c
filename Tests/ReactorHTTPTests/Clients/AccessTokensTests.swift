import ReactorHost
import Testing

@testable import ReactorHTTP

struct AccessTokensTests {
  private static let file = """
    # comments and empty lines say nothing

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
    do throws(Problem) {
      try tokens.check(request, at: Route(path: parts[0])?.address, inQuery: inQuery)
      return nil
    } catch {
      return error.kind.rawValue
    }
  }

  private let session = "/v1/reactors/counter/sessions/a"

  @Test func `without a token nothing of the sessions is to be had`() throws {
    #expect(try check("GET", session, nil) == "unauthorized")
    #expect(try check("GET", session, "Basic eDp5") == "unauthorized")
    #expect(try check("GET", session, "Bearer") == "unauthorized")
    #expect(try check("GET", session, "Bearer reader-of-everything-2") == "unauthorized")
    #expect(try check("GET", "/metrics", nil) == "unauthorized")
  }

  @Test func `what holds no data is for everyone`() throws {
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

  @Test func `a token for some reactors is one for them only`() throws {
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

  @Test func `a digest stands for its token`() throws {
    let digest = SHA256.hexadecimal(of: Array("the-administrator".utf8))
    let file = "sha256:\(digest) admin"
    let admin = "Bearer the-administrator"
    #expect(try check("PUT", "/v1/globals/motto", admin, file: file) == nil)
    // The digest itself is no token.
    #expect(try check("GET", session, "Bearer sha256:\(digest)", file: file) == "unauthorized")
  }

  @Test func `a stream takes the token in its address where that is configured`() throws {
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
  func `a line that cannot be read is told`(line: String) {
    #expect { try AccessTokens("# first\n" + line) } throws: { error in
      (error as? AccessTokens.SyntaxError)?.line == 2
    }
  }
}
