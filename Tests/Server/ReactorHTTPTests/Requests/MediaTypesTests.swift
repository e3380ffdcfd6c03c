import ReactorTransport
import Testing

@testable import ReactorHTTP

struct MediaTypesTests {
  private let offered = ["application/json", "application/x-ndjson"]

  @Test(
    arguments: [
      (nil, "application/json"), ("*/*", "application/json"), ("", "application/json"),
      ("application/json", "application/json"), ("application/x-ndjson", "application/x-ndjson"),
      ("application/*", "application/json"), ("APPLICATION/JSON", "application/json"),
      ("text/html, */*;q=0.1", "application/json"),
      ("application/json;q=0.5, application/x-ndjson", "application/x-ndjson"),
      ("application/json; q=0, */*", "application/x-ndjson"),
      ("application/*;q=0.2, application/json;q=0.1", "application/x-ndjson"),
      ("application/json;charset=utf-8", "application/json"),
      ("*/*;q=0.000", nil), ("text/html", nil), ("text/*", nil), ("application/json;q=0", nil),
      ("application/json;q=x", nil), ("application/json;q=nan", nil), ("json", "application/json"),
    ] as [(String?, String?)])
  func `the type with the highest quality is chosen`(accept: String?, chosen: String?) {
    #expect(MediaTypes.choose(from: offered, accept: accept) == chosen)
  }

  @Test(arguments: [
    ("application/json", true), ("Application/JSON", true),
    ("application/json; charset=utf-8", true),
    ("application/json;charset=\"UTF-8\"", true), ("application/json; profile=x", true),
    ("application/json; charset=latin1", false), ("application/json;charset", false),
    ("text/plain", false), ("application/jsonp", false), ("", false), (";", false),
    ("application/problem+json", false),
  ])
  func `a body is JSON in UTF-8`(type: String, isJSON: Bool) {
    #expect(MediaTypes.isJSON(type) == isJSON)
  }
}
