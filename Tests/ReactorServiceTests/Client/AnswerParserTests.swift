import Testing

@testable import ReactorService

struct AnswerParserTests {
  /// Reads an answer in pieces of every size, which must not make a difference.
  private func read(_ text: String) throws -> (
    head: AnswerParser.Head?, body: String, isWhole: Bool
  ) {
    var results: [(AnswerParser.Head?, String, Bool)] = []
    for size in [1, 2, 7, 10_000] {
      var parser = AnswerParser()
      var body: [UInt8] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        body += try parser.read(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      let isWhole = parser.isComplete || parser.close()
      results.append((parser.head, String(decoding: body, as: UTF8.self), isWhole))
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
  func `an answer is read`(_ text: String, _ status: Int, _ body: String, _ isWhole: Bool) throws {
    let answer = try read(text)
    #expect(answer.head?.status == status)
    #expect(answer.body == body)
    #expect(answer.isWhole == isWhole)
  }

  @Test func `names of fields have no case, and values no space before them`() throws {
    let head = try #require(try read("HTTP/1.1 204 X\r\nETag: \t \"a-1\"\r\nno field\r\n\r\n").head)
    #expect(head["etag"] == "\"a-1\"")
    #expect(head["ETag"] == nil)
    #expect(head.fields.count == 1)
  }

  @Test(arguments: [
    "SSH-2.0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
    "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 20_000),
  ])
  func `what is no answer is refused`(_ text: String) {
    var parser = AnswerParser()
    #expect(throws: AnswerParser.Malformed.self) { try parser.read(text.utf8) }
  }
}
