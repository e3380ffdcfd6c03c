import ReactorCoding
import Testing

@testable import ReactorHTTP

struct QueryTests {
  @Test(arguments: [
    ("a=1", "1"), ("a=1&a=2", "1"), ("b=2&a=1", "1"), ("a", ""), ("a=", ""), ("a==", "="),
    ("a=%41+b", "A b"), ("%61=x", "x"), ("a=%2B", "+"), ("a=%C3%A9", "é"), ("&&a=1&", "1"),
  ])
  func `a parameter is read`(text: String, value: String) throws {
    #expect(try Query(text)["a"] == value)
  }

  @Test(arguments: [nil, "", "&", "b=1", "=1", "A=1"])
  func `one that is not there is nil`(text: String?) throws {
    #expect(try Query(text)["a"] == nil)
  }

  @Test(arguments: ["a=%", "a=%4", "a=%zz", "a=%FF", "%=1", "a=%C3"])
  func `what is not percent-encoded UTF-8 is a problem`(text: String) {
    #expect(throws: Problem.self) { try Query(text) }
  }

  @Test(arguments: [("n=1", 1), ("n=1000", 1000), ("n=007", 7)])
  func `a number within its range is read`(text: String, number: Int) throws {
    #expect(try Query(text).integer("n", in: 1...1000) == number)
  }

  @Test(arguments: [
    "n=", "n=0", "n=1001", "n=-1", "n=+1", "n=1.0", "n=1e2", "n=x", "n=%D9%A3",
    "n=99999999999999999999",
  ])
  func `another is a problem that names the parameter`(text: String) throws {
    let query = try Query(text)
    let problem = #expect(throws: Problem.self) { try query.integer("n", in: 1...1000) }
    #expect(problem?.kind == .invalidParameter)
    #expect(problem?.members.map(\.name) == ["parameter"])
  }

  @Test func `a pointer is read, and what is none is a problem`() throws {
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
  func `what is encoded is decoded`(text: String, decoded: String) {
    #expect(PercentEncoding.decode(text[...]) == decoded)
  }

  @Test(arguments: ["%", "%4", "%4g", "%g4", "a%", "%FF", "%C3", "%ED%A0%80", "%%41", "%-1", "%+1"])
  func `what is broken is nil`(text: String) {
    #expect(PercentEncoding.decode(text[...]) == nil)
  }

  @Test(arguments: ["", "abc", "a b/c?d&e=f%g", "é🙂", "\0\n", "-._~"])
  func `what is encoded reads back`(text: String) {
    let encoded = PercentEncoding.encode(text)
    #expect(PercentEncoding.decode(encoded[...]) == text)
    #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?&=+".utf8.contains($0) })
  }
}
