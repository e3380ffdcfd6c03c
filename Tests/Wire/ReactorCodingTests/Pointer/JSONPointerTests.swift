import ReactorCoding
import Testing

struct JSONPointerTests {
  /// The document of RFC 6901, section 5.
  private static let example = Array(
    #"""
    {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}
    """#.utf8)

  @Test(arguments: [
    ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
    ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
  ])
  func `the table of RFC 6901 holds`(_ text: String, _ value: String) throws {
    let bytes = try JSONPointer(text).bytes(in: Self.example)
    #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == value)
  }

  @Test func `the empty pointer is the whole text`() throws {
    #expect(try JSONPointer("").bytes(in: Self.example)?.elementsEqual(Self.example) == true)
  }

  @Test(arguments: [
    "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/-1", "/foo/a", "/foo/", "/foo/0/0", "/bar",
    "/foo/99999999999999999999", "/foo/٠", "/foo/+0", "/a/b",
  ])
  func `a pointer to nothing has no value`(_ text: String) throws {
    #expect(try JSONPointer(text).bytes(in: Self.example) == nil)
  }

  @Test(arguments: [("a", 0), ("#/a", 0), ("/~", 1), ("/a~2", 2), ("/a~/b", 2), ("/~~", 1)])
  func `a syntax error is reported at its byte offset`(_ text: String, _ offset: Int) throws {
    let error = #expect(throws: JSONPointerSyntaxError.self) { try JSONPointer(text) }
    #expect(error?.offset == offset)
  }

  @Test(arguments: ["", "/", "//", "/a~1b/m~0n", "/~01", "/é/😀", "/ /0"])
  func `a pointer round-trips`(_ text: String) throws {
    #expect(try JSONPointer(text).description == text)
  }

  @Test func `tokens are unescaped in the right order`() throws {
    #expect(try JSONPointer("/~01/~10").tokens == ["~1", "/0"])
  }
}
