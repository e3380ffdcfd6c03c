import Testing

@testable import ClientCore

struct HeadReaderTests {
  /// Reads the lines of a text, each with its line break.
  private func heads(_ text: String) throws -> [TransportHead] {
    var reader = HeadReader()
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return try lines.dropLast().compactMap { try reader.read(Array($0) + [UInt8(ascii: "\n")]) }
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\n\r\n", 200), ("HTTP/1.0 503\r\n\r\n", 503), ("HTTP/2 204 \r\n\r\n", 204),
    ("HTTP/1.1 200 OK\n\n", 200),
    ("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n", 404),
    ("HTTP/1.1 200 OK\r\n\r\nTrailer: x\r\n\r\n", 200),
  ])
  func `a head ends with an empty line`(_ text: String, _ status: Int) throws {
    let heads = try heads(text)
    #expect(heads.map(\.status) == [status])
    #expect(heads.first?.fields.isEmpty == true)
  }

  @Test func `field names are lowercased and values trimmed`() throws {
    let head = try #require(
      try heads("HTTP/1.1 204 X\r\nETag: \t \"a-1\"\r\nno field\r\nX: é\r\n\r\n").first)
    #expect(head["etag"] == "\"a-1\"")
    #expect(head["ETag"] == nil)
    #expect(head["x"] == "??")
    #expect(head.fields.count == 2)
  }

  @Test(arguments: [
    "SSH-2.0 200 x\r\n", "HTTP/1.1\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n",
    "HTTP/1.1 abc OK\r\n", "\r\n",
    "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 20_000),
    "HTTP/1.1 200 OK\r\nX: " + String(repeating: "y", count: 65_536) + "\r\n",
  ])
  func `lines that are not the head of a response are rejected`(_ text: String) {
    #expect(throws: HeadReader.Malformed.self) { try heads(text) }
  }
}
