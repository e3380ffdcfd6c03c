import Testing

@testable import ClientCore

struct TransportRequestTests {
  @Test func `a request is written with its host, its prefix and the length of its body`() throws {
    let get = TransportRequest("GET", "v1/reactors?limit=2", fields: [.init("Accept", "*/*")])
    #expect(
      String(decoding: try get.bytes(host: "[::1]:81", keepsConnection: true), as: UTF8.self)
        == "GET /v1/reactors?limit=2 HTTP/1.1\r\nHost: [::1]:81\r\nAccept: */*\r\n\r\n")
    let post = TransportRequest("POST", "a", body: Array("{}".utf8))
    #expect(
      String(
        decoding: try post.bytes(host: "h", prefix: "/api", keepsConnection: false), as: UTF8.self)
        == "POST /api/a HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")
  }

  @Test(arguments: [
    TransportRequest("GET", "a b"), TransportRequest("GET", "a\r\nX: y"),
    TransportRequest("GET", "a", fields: [.init("X", "token\n")]),
    TransportRequest("GET", "a", fields: [.init("X: y\r\nZ", "1")]),
    TransportRequest("GET", "a", fields: [.init("X", "a\0b")]),
  ])
  func `a request that would change its own framing is not written`(_ request: TransportRequest) {
    #expect(throws: TransportRequest.Unsendable.self) {
      try request.bytes(host: "h", keepsConnection: true)
    }
  }

  @Test func `a POST is repeated only with an idempotency key`() {
    #expect(TransportRequest("GET", "a").isRepeatable)
    #expect(TransportRequest("DELETE", "a").isRepeatable)
    #expect(!TransportRequest("POST", "a").isRepeatable)
    #expect(TransportRequest("POST", "a", fields: [.init("Idempotency-Key", "k")]).isRepeatable)
  }

  @Test(arguments: [
    ("demo", "demo"), ("a%3Ab", "a:b"), ("%C3%A9", "é"), ("", ""), ("a+b", "a+b"),
    ("%", nil), ("%4", nil), ("%+4", nil), ("%zz", nil), ("%ff", nil),
  ])
  func `percent-encoding is decoded`(_ text: String, _ decoded: String?) {
    #expect(text.percentDecoded == decoded)
  }
}
