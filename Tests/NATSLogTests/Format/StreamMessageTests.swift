import Testing

@testable import NATSLog

/// The header fields of stored messages.
struct StreamMessageTests {
  private func headers(_ text: String) -> [String: String] {
    StreamMessage.headers(of: Array(text.utf8))
  }

  @Test func `a field has the value after its colon`() {
    #expect(headers("NATS/1.0\r\nR: n1.7a/3\r\nOther:x\r\n\r\n") == ["R": "n1.7a/3", "Other": "x"])
    #expect(headers("NATS/1.0\r\nno field\r\n\r\n").isEmpty)
  }

  @Test func `the first of several fields with the same name counts, as in received messages`() {
    #expect(headers("NATS/1.0\r\nR: one\r\nOther: x\r\nR: two\r\n\r\n")["R"] == "one")
  }
}
