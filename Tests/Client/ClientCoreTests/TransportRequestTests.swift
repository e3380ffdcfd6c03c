import Testing

@testable import ClientCore

struct TransportRequestTests {
  @Test(arguments: [
    TransportRequest("GET", "a b"), TransportRequest("GET", "a\r\nX: y"),
    TransportRequest("GET", "a", fields: [.init("X", "token\n")]),
    TransportRequest("GET", "a", fields: [.init("X: y\r\nZ", "1")]),
    TransportRequest("GET", "a", fields: [.init("X", "a\0b")]),
    TransportRequest("GET", "a", fields: [.init("", "x")]),
  ])
  func `a request that would change its own framing is not sendable`(_ request: TransportRequest) {
    #expect(!request.isSendable)
  }

  @Test func `other requests are sendable`() {
    #expect(
      TransportRequest("GET", "v1/reactors?limit=2", fields: [.init("Accept", "*/*")]).isSendable)
    #expect(TransportRequest("GET", "", fields: [.init("X", ""), .init("Y", "é \t")]).isSendable)
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
