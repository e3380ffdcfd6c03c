import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Text that takes `String` comparison quadratic time: one comparison would exceed the time limit.
@Suite(.serialized, .timeLimit(.minutes(60))) struct HostileTextTests {
  /// A letter and alternating combining marks, which normalization has to sort.
  private static let marks = "a" + String(repeating: "\u{0301}\u{0316}", count: 100_000)
  private static let encoded = String(repeating: "%CC%81%CC%96", count: 100_000)

  @Test(arguments: HTTPHeader.allCases)
  func `a header field of combining marks is compared in linear time`(header: HTTPHeader) throws {
    let service = Service(settings: {
      $0.authentication = .tokens("a-long-enough-token write")
      $0.crossOrigin.origins = AllowedOrigins(["https://app.example"]) ?? AllowedOrigins()
      $0.hosts = .names(["app.example"])
      $0.trustedProxies = TrustedProxies("unix") ?? TrustedProxies()
      $0.limits.rate = 1_000_000
    })
    for method in ["GET", "POST"] {
      let path = "\(Service.root)/demo/" + (method == "POST" ? "actions" : "state")
      let token = (name: HTTPHeader.authorization, value: "Bearer a-long-enough-token")
      let response = try service.ask(
        method, path, [token, (header, "application/json;" + Self.marks)],
        body: method == "POST" ? #"{"add":1}"# : nil)
      #expect(response.status < 500)
    }
  }

  @Test(arguments: [
    "GET /v1/reactors/@", "GET /v1/reactors/number/sessions/@", "GET /@", "GET /problems/@",
    "GET /v1/globals/@", "DELETE /v1/reactors/number/sessions/demo/effects/@",
    "GET /v1/events?session=@", "GET /v1/events?session=number/@",
    "GET /v1/events?session=@&session=@x",
    "GET /v1/reactors/number/sessions?after=@", "GET /v1/reactors/number/sessions?limit=@",
    "GET /v1/reactors/number/sessions?@=1&@=2",
    "GET /v1/reactors/number/sessions/demo/events?last_event_id=@",
    "GET /v1/reactors/number/sessions/demo/events?delta=@",
    "GET /v1/reactors/number/sessions/demo/events?access_token=@",
    "GET /v1/reactors/number/sessions/demo/effects?after=@",
    "@ /v1/reactors",
  ])
  func `a target of combining marks is compared in linear time`(target: String) throws {
    let service = Service()
    for text in [Self.marks, Self.encoded] {
      let words = target.split(separator: " ").map { word in
        word.split(separator: "@", omittingEmptySubsequences: false).joined(separator: text)
      }
      #expect(try service.ask(words[0], words[1]).status < 500)
    }
  }

  @Test func `bytes outside ASCII make a field invalid, not another valid one`() throws {
    let service = Service()
    #expect(
      try service.act(#"{"add":1}"#, [(.idempotencyKey, "é")]).problem == "400 invalid-parameter")
    #expect(try service.act(#"{"add":1}"#, [(.ifMatch, "\"é\"")]).problem == "412 version-mismatch")
    #expect(try service.act(#"{"add":1}"#, [(.prefer, "respond-asynç")]).status == 200)
    #expect(try service.act(#"{"add":1}"#, [(.requestID, "é")])[field: "X-Request-Id"] != "é")
  }

  @Test func `texts from the network are equal only byte by byte`() {
    #expect(WireText("\u{E9}") != WireText("e\u{301}"))
    #expect(WireText("a") == "a")
    #expect(Set([WireText("\u{E9}"), WireText("e\u{301}"), WireText("\u{E9}")]).count == 2)
    #expect("größe".asciiOnly == "gr\u{7F}\u{7F}\u{7F}\u{7F}e")
  }
}
