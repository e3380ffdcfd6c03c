internal import Testing

@testable internal import MicrohttpdServer

@Suite struct RepeatedHeadTests {
  private static let post =
    "POST /a?b HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\ncontent-length: 3\r\nX: y\r\n\r\n"
  private static let substitute =
    "POST \u{7F} HTTP/1.1\r\nHost: a\r\ncontent-length: 3\r\n\r\n"

  @Test func `a repeated head is replaced by the fields that the parser reads`() {
    var scanner = RequestScanner(headLimit: 10_000)
    #expect(scanner.pass(Self.post + "abc") == Self.post + "abc")
    #expect(scanner.retainsHead)
    for _ in 0..<3 {
      #expect(scanner.pass(Self.post + "d") == Self.substitute + "d")
      #expect(scanner.pass("ef") == "ef")
    }
    let two = Self.post + "abc" + Self.post + "def"
    #expect(scanner.pass(two) == Self.substitute + "abc" + Self.post + "def")
    #expect(scanner.pass(Self.post + "ghi") == Self.substitute + "ghi")
  }

  @Test(arguments: [
    "GET /a HTTP/1.0\r\nHost: a\r\n\r\n",
    "GET /a HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 4096) + "\r\n\r\n",
  ])
  func `heads of HTTP 1_0 and long ones are parsed again`(request: String) {
    var scanner = RequestScanner(headLimit: 10_000)
    for _ in 0..<3 { #expect(scanner.pass(request) == request) }
    #expect(!scanner.retainsHead)
  }

  @Test func `only the head of the former request is replaced`() {
    var scanner = RequestScanner(headLimit: 10_000)
    let other = Self.post.replacing("Bearer x", with: "Bearer y")
    for head in [Self.post, other, Self.post, other] {
      #expect(scanner.pass(head + "abc") == head + "abc")
    }
    // A head that arrives in parts counts as the former request, although it is not retained.
    #expect(scanner.pass("POST /a") == "POST /a")
    #expect(scanner.pass(Self.post.dropFirst(7) + "abc") == Self.post.dropFirst(7) + "abc")
    #expect(scanner.pass(other + "abc") == other + "abc")
    #expect(scanner.pass(other + "abc") == Self.substitute + "abc")
    // Empty lines before the request line are no part of the head.
    #expect(scanner.pass("\r\n") == "\r\n")
    #expect(scanner.pass(other + "abc") == other + "abc")
  }

  @Test func `a violation after a repeated head ends the connection`() {
    var scanner = RequestScanner(headLimit: 10_000)
    _ = scanner.pass(Self.post + "abc")
    #expect(scanner.pass(Self.post + "abc" + "GET \u{7F}") == Self.substitute + "abc")
    #expect(scanner.violation == .malformed)
    #expect(scanner.pass(Self.post + "abc") == "")
  }

  @Test(arguments: [
    "GET \u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n",
  ])
  func `no client can send a substitute`(request: String) {
    var scanner = RequestScanner(headLimit: 10_000)
    #expect(scanner.pass(request) == "")
    #expect(scanner.violation == .malformed)
  }

  @Test
  func `a parser that remembers the last head reads the same requests, however they are divided`() {
    var random = SystemRandomNumberGenerator()
    let requests = [
      Self.post + "abc", Self.post + "\r\n\r", Self.post.replacing("Bearer x", with: "y") + "abc",
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
      "GET / HTTP/1.0\r\n\r\n", "\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    ]
    for _ in 0..<1_000 {
      let sent = (0..<20).flatMap { _ in
        // Repetitions are frequent.
        Array(requests[min(6, Int.random(in: 0...12, using: &random) / 2)].utf8)
      }
      var scanner = RequestScanner(headLimit: 10_000)
      var passed = "", start = 0
      while start < sent.count {
        let end = min(sent.count, start + Int.random(in: 1...300, using: &random))
        passed += scanner.pass(String(decoding: sent[start..<end], as: UTF8.self))
        start = end
      }
      #expect(Self.expanded(passed) == String(decoding: sent, as: UTF8.self))
    }
  }

  @Test func `a damaged sequence is accepted and rejected as without substitutes`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var sent = Array(String(repeating: Self.post + "abc", count: 5).utf8)
      let damaged = sent.indices.randomElement(using: &random) ?? 0
      sent[damaged] = [0, 9, 10, 13, 32, 48, 58, 65, 127, 200].randomElement(using: &random) ?? 0
      var (scanner, plain) = (
        RequestScanner(headLimit: 10_000), RequestScanner(headLimit: 10_000)
      )
      var start = 0
      while start < sent.count {
        let end = min(sent.count, start + Int.random(in: 1...300, using: &random))
        let part = Array(sent[start..<end])
        let passed = scanner.passed(part)
        let accepted = part.prefix(part.withUnsafeBufferPointer { plain.scan($0) })
        #expect(scanner.violation == plain.violation)
        let known = passed.elementsEqual(accepted) ? 0 : Self.substitute.utf8.count
        #expect(known == 0 || passed.starts(with: Self.substitute.utf8))
        #expect(accepted.reversed().starts(with: passed.dropFirst(known).reversed()))
        #expect(
          known == 0 || accepted.count - passed.count == Self.post.utf8.count - known)
        start = end
      }
    }
  }

  /// Replaces each substitute by the head before it.
  private static func expanded(_ passed: String) -> String {
    var (rest, text, former) = (Array(passed.utf8)[...], [UInt8](), [UInt8]())
    func take(through mark: String) -> [UInt8] {
      let mark = Array(mark.utf8)
      let end = rest.indices.first { rest[$0...].starts(with: mark) }.map { $0 + mark.count }
      defer { rest = rest[(end ?? rest.endIndex)...] }
      return Array(rest[..<(end ?? rest.endIndex)])
    }
    while !rest.isEmpty {
      while rest.starts(with: "\r\n".utf8) { text += take(through: "\r\n") }
      let head = take(through: "\r\n\r\n")
      if head.contains(RepeatedHead.target) {
        text += former
      } else {
        (text, former) = (text + head, head)
      }
      let fields = String(decoding: head, as: UTF8.self)
      if fields.contains("content-length: 3") {
        text += rest.prefix(3)
        rest = rest.dropFirst(3)
      } else if fields.contains("chunked") {
        text += take(through: "0\r\n\r\n")
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension RequestScanner {
  /// Scans a part of a connection's bytes; returns what is passed to the parser.
  fileprivate mutating func pass(_ text: some StringProtocol) -> String {
    String(decoding: passed(Array(text.utf8)), as: UTF8.self)
  }

  /// Scans a part of a connection's bytes; returns what is passed to the parser.
  fileprivate mutating func passed(_ part: [UInt8]) -> ArraySlice<UInt8> {
    var bytes = part
    let count = bytes.withUnsafeMutableBufferPointer { filter($0, replacingHead: true) } ?? 0
    return bytes[..<count]
  }
}
