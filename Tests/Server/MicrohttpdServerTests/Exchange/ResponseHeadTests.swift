internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct ResponseHeadTests {
  @Test func `a head has a status, fields and framing`() {
    let lines = lines(status: 413, ["X-A": "b"], .length(3))
    #expect(lines.first == "HTTP/1.1 413 Content Too Large")
    #expect(lines.contains("X-A: b"))
    #expect(lines.contains("Content-Length: 3"))
    #expect(lines.contains("Connection: close"))
    #expect(lines.suffix(2) == ["", ""])
  }

  @Test func `a stream has no length`() {
    #expect(lines(status: 200, [:], .chunked).contains("Transfer-Encoding: chunked"))
    let untilClose = lines(status: 200, [:], .untilClose)
    #expect(!untilClose.contains { $0.hasPrefix("Transfer") || $0.hasPrefix("Content-Length") })
  }

  @Test(
    arguments: [
      ["X": "a\r\nY: b"], ["X": "a\nb"], ["X\r\nY": "a"], ["X Y": "a"], ["X:": "a"], ["": "a"],
      ["X": ""], ["X": "a\0b"], ["Date": "x"], ["connection": "keep-alive"],
      ["Content-Length": "7"], ["TRANSFER-ENCODING": "gzip"],
    ] as [HTTPFields])
  func `a field that could change the framing is omitted`(field: HTTPFields) {
    let without = lines(status: 200, [:], .chunked).filter { !$0.hasPrefix("Date") }
    let with = lines(status: 200, field, .chunked).filter { !$0.hasPrefix("Date") }
    #expect(with == without)
  }

  @Test(arguments: [
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    (1_795_219_199, "Fri, 20 Nov 2026 23:59:59 GMT"),
  ])
  func `a date has the format of HTTP`(seconds: Int64, expected: String) {
    #expect(HTTPDate(secondsSince1970: seconds).description == expected)
  }

  private func lines(
    status: Int, _ headers: HTTPFields, _ framing: ResponseHead.Framing
  ) -> [String] {
    let head = ResponseHead(status: status, headers: headers, framing: framing)
    let text = String(decoding: head.bytes, as: UTF8.self)
    return text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
  }
}
