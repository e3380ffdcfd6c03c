internal import Testing

@testable internal import MicrohttpdServer

@Suite struct RequestScannerTests {
  private static let valid = [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /a?b=c&d HTTP/1.0\r\n\r\n",
    "\r\n\r\nGET / HTTP/1.1\r\nhost:a\r\nX-Empty:\r\nX-Tab: a\tb\r\nX-Text: \u{E4}\r\n\r\n",
    "M-SEARCH * HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /\u{E4} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n\r\n\0\nx",
    "POST / HTTP/1.1\r\nHost: a\r\ncontent-length:  5\r\nContent-Length: 5\r\n\r\nabcde",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      + "4\r\na\r\nb\r\n00A;x=\"y z\"\r\n0123456789\r\n0\r\nTrailer: 1\r\nX: 2\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=d\r\n\r\n",
  ]

  @Test(arguments: valid)
  func `requests that follow RFC 9112 pass unchanged, however they are divided`(request: String) {
    let bytes = Array((request + request).utf8)
    for size in 1...bytes.count {
      var scanner = RequestScanner(headLimit: 1000)
      for part in bytes.parts(of: size) { #expect(scanner.scan(part) == part.count) }
      #expect(scanner.violation == nil)
    }
  }

  @Test(arguments: [
    ("1;a\r\nx\r\n0\r\n\r\n", "1\r\nx\r\n0\r\n\r\n"),
    ("A;a=b;c=\"d e\";;\r\n012;\r\n5678\r\n0\r\n\r\n", "A\r\n012;\r\n5678\r\n0\r\n\r\n"),
    ("1;\r\nx\r\n1;\r\ny\r\n0;a\r\nT: 1;2\r\n\r\n", "1\r\nx\r\n1\r\ny\r\n0\r\nT: 1;2\r\n\r\n"),
  ])
  func `extensions of chunks are removed, however they are divided`(
    body: String, expected: String
  ) {
    let head = "POST /;a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    let bytes = Array((head + body + head + body).utf8)
    for size in 1...bytes.count {
      var scanner = RequestScanner(headLimit: 1000)
      var passed: [UInt8] = []
      for var part in bytes.parts(of: size) {
        let count = part.withUnsafeMutableBufferPointer { scanner.filter($0, replacingHead: false) }
        passed += part.prefix(count ?? 0)
        #expect(count != nil)
      }
      #expect(String(decoding: passed, as: UTF8.self) == head + expected + head + expected)
    }
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n:\r\n\r\n",
    "GET / HTTP/1.1\r\n: x\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\n",
    "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
    "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
    "GET / HTTP/1.1\r\nHost\0: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\u{7F}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
    "GET / HTTP/1.1\r\nHost a\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHOST: a\r\n\r\n",
    "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET  HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
    "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /\r\nHost: a\r\n\r\n",
    " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "G\u{E4}T / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET / http/1.1\r\nHost: a\r\n\r\n",
    "GET / HTTP/1.x\r\nHost: a\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\na",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 \r\n\r\na",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\na",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ])
  func `heads that two parsers could read differently are rejected`(request: String) {
    expectRejection(of: request, as: .malformed)
  }

  @Test(arguments: [
    "1\na\r\n", "1\r\na\n", "1\r\nab\r\n", "\r\n", ";x\r\n", "x\r\n", "-1\r\n", "0x1\r\na\r\n",
    " 1\r\na\r\n", "1 \r\na\r\n", "1\r\r\n", "1;\n\r\n", "8000000000000000000\r\n",
    "0\r\n: x\r\n\r\n", "0\r\n folded\r\n", "0\r\nX: a\n\r\n", "0\r\n\n",
    "1;" + String(repeating: "x", count: 300) + "\r\na\r\n",
  ])
  func `chunks that two parsers could read differently are rejected`(chunk: String) {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    expectRejection(of: head + "2\r\nab\r\n" + chunk, as: .malformed)
  }

  @Test(arguments: ["HTTP/0.9", "HTTP/2.0", "HTTP/9.9"])
  func `other major versions are rejected as unsupported`(version: String) {
    expectRejection(of: "GET / \(version)\r\n\r\n", as: .unsupportedVersion)
  }

  @Test(arguments: [
    "GET /" + String(repeating: "a", count: 1000) + " HTTP/1.1\r\n",
    "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: 1000),
    "GET / HTTP/1.1\r\n" + String(repeating: "X:\r\n", count: 15),
    "GET / HTTP/1.1\r\nCookie: " + String(repeating: "a;", count: 15),
    String(repeating: "\r\n", count: 501),
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
      + String(repeating: "X:\r\n", count: 15),
  ])
  func `heads and trailers that exceed the parser's memory are rejected`(request: String) {
    expectRejection(of: request, as: .headTooLarge)
  }

  @Test func `complete requests before a violation pass, those after it do not`() {
    let request = Self.valid[0]
    var scanner = RequestScanner(headLimit: 1000)
    let accepted = scanner.scan(Array((request + request + "GET /\0").utf8))
    #expect(accepted == 2 * request.utf8.count)
    #expect(scanner.violation == .malformed)
    #expect(scanner.scan(Array(request.utf8)) == 0)
  }

  @Test func `random changes of valid requests are found independently of how they are divided`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var bytes = Array(Self.valid.randomElement(using: &random)!.utf8)
      let index = bytes.indices.randomElement(using: &random)!
      bytes[index] = [0, 9, 10, 13, 32, 58, 65, 127, 200].randomElement(using: &random)!
      var whole = RequestScanner(headLimit: 1000)
      let accepted = whole.scan(bytes)
      var divided = RequestScanner(headLimit: 1000)
      var sum = 0
      for part in bytes.parts(of: Int.random(in: 1...7, using: &random)) {
        sum += divided.scan(part)
      }
      #expect(divided.violation == whole.violation)
      #expect(sum >= accepted)
    }
  }

  private func expectRejection(of request: String, as violation: RequestScanner.Violation) {
    let bytes = Array(request.utf8)
    for size in [1, 2, 7, bytes.count] {
      var scanner = RequestScanner(headLimit: 1000)
      for part in bytes.parts(of: size) { _ = scanner.scan(part) }
      #expect(scanner.violation == violation)
      #expect(scanner.scan([UInt8(ascii: "x")]) == 0)
    }
  }
}

extension RequestScanner {
  fileprivate mutating func scan(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBufferPointer { scan($0) }
  }
}

extension [UInt8] {
  /// The bytes in parts of a size; the last one may be smaller.
  fileprivate func parts(of size: Int) -> [[UInt8]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
