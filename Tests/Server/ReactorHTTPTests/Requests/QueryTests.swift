import ReactorTransport
import ReactorCoding
import Testing

@testable import ReactorHTTP

struct QueryTests {
  @Test(arguments: [
    ("a=1", "1"), ("a=1&a=2", "1"), ("b=2&a=1", "1"), ("a", ""), ("a=", ""), ("a==", "="),
    ("a=%41+b", "A b"), ("%61=x", "x"), ("a=%2B", "+"), ("a=%C3%A9", "\u{7F}\u{7F}"),
    ("&&a=1&", "1"),
  ])
  func `the first value is parsed, in ASCII`(text: String, value: String) throws {
    #expect(try Query(WireText(text))["a"] == value)
  }

  @Test(arguments: [nil, "", "&", "b=1", "=1", "A=1"])
  func `an absent parameter is nil`(text: String?) throws {
    #expect(try Query(text.map { WireText($0) })["a"] == nil)
  }

  @Test(arguments: ["a=%", "a=%4", "a=%zz", "a=%FF", "%=1", "a=%C3"])
  func `a query that is not percent-encoded UTF-8 is rejected`(text: String) {
    #expect(throws: Problem.self) { try Query(WireText(text)) }
  }

  @Test(arguments: [("n=1", 1), ("n=1000", 1000), ("n=007", 7)])
  func `a number within its range is parsed`(text: String, number: Int) throws {
    #expect(try Query(WireText(text)).integer("n", in: 1...1000) == number)
  }

  @Test(arguments: [
    "n=", "n=0", "n=1001", "n=-1", "n=+1", "n=1.0", "n=1e2", "n=x", "n=%D9%A3",
    "n=99999999999999999999",
  ])
  func `rejects another text and names the parameter`(text: String) throws {
    let query = try Query(WireText(text))
    let problem = #expect(throws: Problem.self) { try query.integer("n", in: 1...1000) }
    #expect(problem?.kind == .invalidParameter)
    #expect(problem?.members.map(\.name) == ["parameter"])
  }

  @Test func `parses a JSON Pointer and rejects another text`() throws {
    #expect(try Query("select=/a/b").pointer("select")?.tokens == ["a", "b"])
    #expect(try Query("select=").pointer("select")?.tokens == [])
    #expect(try Query("").pointer("select") == nil)
    let problem = #expect(throws: Problem.self) { try Query("select=a").pointer("select") }
    #expect(problem?.kind == .invalidPointer)
  }
}

struct PercentEncodingTests {
  @Test(arguments: [
    ("", ""), ("abc", "abc"), ("%41", "A"), ("%c3%A9", "é"), ("a+b", "a+b"), ("%2F", "/"),
    ("%00", "\0"), ("é", "é"),
  ])
  func `parameters are decoded`(text: String, decoded: String) {
    #expect(PercentEncoding.decode(text.utf8) == decoded)
  }

  @Test(arguments: ["%", "%4", "%4g", "%g4", "a%", "%FF", "%C3", "%ED%A0%80", "%%41", "%-1", "%+1"])
  func `a broken encoding is rejected`(text: String) {
    #expect(PercentEncoding.decode(text.utf8) == nil)
  }
}
