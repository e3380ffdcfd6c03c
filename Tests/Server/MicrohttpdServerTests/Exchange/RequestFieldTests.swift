internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct RequestFieldTests {
  @Test(arguments: HTTPHeader.allCases)
  func `every field that the service reads is recognized in any case`(header: HTTPHeader) {
    let name = header.name.description
    #expect(field(name) == .header(header))
    #expect(field(name.uppercased()) == .header(header))
    #expect(field(name.capitalized) == .header(header))
  }

  @Test func `the fields of the framing are recognized`() {
    #expect(field("Content-Length") == .contentLength)
    #expect(field("TRANSFER-encoding") == .transferEncoding)
  }

  @Test(arguments: [
    "", "a", "hos", "hosts", "h\u{0}st", "if\u{0D}match", "if-matcH ", "x-request-ie",
    "access-control-request-methods-and-more-than-that",
  ])
  func `any other name is unknown`(name: String) {
    #expect(field(name) == nil)
  }

  @Test func `only letters have a case`() {
    // '\r' | 0x20 is '-', '@' | 0x20 is '`'.
    #expect(field("if\rmatch") == nil)
  }

  private func field(_ name: String) -> RequestField? {
    Array(name.utf8).withUnsafeBufferPointer { RequestField.named($0) }
  }
}

extension String {
  fileprivate var capitalized: String {
    split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
      .joined(separator: "-")
  }
}
