import Testing

@testable import ClientCore

struct ResponseParserTests {
  /// Parses a response in pieces of several sizes and checks that the results are equal.
  private func read(_ text: String) throws -> (
    head: TransportHead?, body: String, isComplete: Bool
  ) {
    var results: [(TransportHead?, String, Bool)] = []
    for size in [1, 2, 7, 10_000] {
      var parser = ResponseParser()
      var body: [UInt8] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        body += try parser.read(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      let isComplete = parser.isComplete || parser.close()
      results.append((parser.head, String(decoding: body, as: UTF8.self), isComplete))
    }
    let first = try #require(results.first)
    for result in results {
      #expect(result.0 == first.0)
      #expect(result.1 == first.1)
      #expect(result.2 == first.2)
    }
    return first
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more", 200, "hello", true),
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", 200, "hell", false),
    ("HTTP/1.1 200 OK\nContent-Length: 0\n\n", 200, "", true),
    ("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true),
    ("HTTP/1.1 200 OK\r\n\r\nto the end", 200, "to the end", true),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;x=y\r\n, and more\r\n0\r\nT: v\r\n\r\n",
      200, "hello, and more", true
    ),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 200, "hello", false),
    (
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\n!",
      404, "!", true
    ),
  ])
  func `a response is parsed`(_ text: String, _ status: Int, _ body: String, _ isComplete: Bool)
    throws
  {
    let response = try read(text)
    #expect(response.head?.status == status)
    #expect(response.body == body)
    #expect(response.isComplete == isComplete)
  }

  @Test func `field names are lowercased and values trimmed`() throws {
    let head = try #require(try read("HTTP/1.1 204 X\r\nETag: \t \"a-1\"\r\nno field\r\n\r\n").head)
    #expect(head["etag"] == "\"a-1\"")
    #expect(head["ETag"] == nil)
    #expect(head.fields.count == 1)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!", true),
    ("HTTP/1.1 204 No Content\r\n\r\n", true),
    ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: Close\r\n\r\n!", false),
    ("HTTP/1.1 200 OK\r\n\r\n!", false),
    ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n!", false),
    ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n!", true),
    // The bytes of a response that belongs to no request.
    ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!HTTP/1.1 408 X\r\n\r\n", false),
    ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n!", false),
  ])
  func `a connection is used again after a complete response`(_ text: String, _ isKept: Bool) throws
  {
    var parser = ResponseParser()
    _ = try parser.read(Array(text.utf8)[...])
    #expect(parser.keepsConnection == isKept)
  }

  @Test(arguments: [
    "SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 20_000),
  ])
  func `bytes that are not a response are rejected`(_ text: String) {
    var parser = ResponseParser()
    #expect(throws: ResponseParser.Malformed.self) { try parser.read(Array(text.utf8)[...]) }
  }
}
