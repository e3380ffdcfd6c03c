import ReactorCoding
import Testing

struct JSONParsingTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.0", "1e2", "1E2", "1e+2",
    "1e-2",
    "0e1", "0e+1", "123.456e78", "1e400", "-123123123123123123123123123123",
    #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u0061""#, #""\u00e9""#, #""\uD834\uDD1E""#,
    #""\u0000""#, #""\uFFFF""#, #""\u2028""#, "\"\u{2028}\u{2029}\"", "\"é\"", "\"€\"", "\"😀\"",
    "\"\u{7F}\"", "\"\u{10FFFF}\"", #""/""#, #""a\\""#,
    "[]", "[1]", "[1,2]", "[ 1 , 2 ]", "[[]]", "[[],[[]]]", "[\"\"]", "[null,1,\"1\",{}]",
    "{}", #"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"a":1,"a":2}"#, #"{"":0}"#, #"{"a":{"b":[]}}"#,
    " \t\r\n1 \t\r\n", "[\n]", #"{ "a" : 1 }"#, #"{"\u0061":1}"#,
  ])
  func `JSON is accepted`(_ text: String) throws {
    let document = try JSONDocument(parsing: Array(text.utf8))
    #expect(document.root.bytes.elementsEqual(text.utf8.drop { $0 <= 0x20 }.trimmed))
  }

  @Test(arguments: [
    ("", 0), (" ", 1), ("[", 1), ("[1", 2), ("[1,", 3), ("{", 1), (#"{"a""#, 4), (#"{"a":"#, 5),
    (#"{"a":1"#, 6), (#"{"a":1,"#, 7), ("\"", 1), (#""a"#, 2), (#""\"#, 2), (#""\u12"#, 5),
    (#""\uD834"#, 7), (#""\uD834\"#, 8), (#""\uD834\u"#, 9), ("tru", 3), ("-", 1), ("1.", 2),
    ("1e", 2), ("1e+", 3), ("n", 1), ("[1 ", 3),
  ])
  func `a truncated text is reported at its end`(_ text: String, _ offset: Int) throws {
    #expect(offset == text.utf8.count)
    let error = #expect(throws: JSONSyntaxError.self) {
      try JSONDocument(parsing: Array(text.utf8))
    }
    #expect(error?.offset == offset)
  }

  @Test(arguments: [
    ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1,,2]", 3), ("[1}", 2), ("]", 0), ("}", 0),
    (#"{"a":1,}"#, 7), (#"{"a" 1}"#, 5), (#"{"a"}"#, 4), (#"{"a":}"#, 5), ("{1:1}", 1),
    ("{a:1}", 1),
    (#"{"a":1]"#, 6), (#"{"a":1 "b":2}"#, 7), ("{'a':1}", 1), (#"{,"a":1}"#, 1), ("{null:1}", 1),
    ("1 2", 2), ("[] []", 3), ("{}}", 2), ("nullx", 4), (#""a""b""#, 3), ("1,", 1), ("1\u{0}", 1),
    ("01", 1), ("-01", 2), ("00", 1), ("+1", 0), (".5", 0), ("-.5", 1), ("-a", 1), ("1.e1", 2),
    ("1.a", 2), ("1ea", 2), ("1e+a", 3), ("1.2.3", 3), ("0x1", 1), ("1_000", 1), ("- 1", 1),
    ("NaN", 0), ("Infinity", 0), ("-Infinity", 1), ("nul1", 3), ("True", 0), ("falsy", 4),
    ("undefined", 0), ("// a\n1", 0), ("/**/1", 0), ("1 // a", 2), ("'a'", 0),
    (#""\x""#, 2), (#""\u12G4""#, 5), (#""\'""#, 2), (#""\U0041""#, 2), (#""\a""#, 2),
    (#""\uD834""#, 1), (#""\uD834x""#, 1), (#""a\uDD1E""#, 2), (#""\uD834\n""#, 1),
    (#""\uD834\uD834""#, 1), (#""\uD834\u0041""#, 1), (#""\uDD1E\uD834""#, 1),
    ("\"\n\"", 1), ("\"a\tb\"", 2), ("\"\u{0}\"", 1), ("\"\u{1F}\"", 1),
    ("\u{FEFF}1", 0), ("\u{A0}1", 0), ("\u{C}1", 0), ("[\u{2028}1]", 1),
  ])
  func `a syntax error is reported at its byte offset`(_ text: String, _ offset: Int) throws {
    let error = #expect(throws: JSONSyntaxError.self) {
      try JSONDocument(parsing: Array(text.utf8))
    }
    #expect(error?.offset == offset)
    #expect(error?.reason.hasSuffix(".") == true)
  }

  @Test(
    arguments: [
      ([0x22, 0xFF, 0x22], 1), ([0x22, 0x80, 0x22], 1), ([0x22, 0x61, 0xC0, 0xAF, 0x22], 2),
      ([0x22, 0xC1, 0x81, 0x22], 1), ([0x22, 0xE0, 0x80, 0x80, 0x22], 1), ([0x22, 0xC3, 0x22], 1),
      ([0x22, 0xED, 0xA0, 0x80, 0x22], 1), ([0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], 1),
      ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], 1),
      ([0x22, 0xE2, 0x82, 0x22], 1), ([0x22, 0xC3], 2), ([0x22, 0xE2, 0x82], 3), ([0xFF], 0),
      ([0xFF, 0xFE, 0x31, 0x00], 0), ([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], 2),
    ] as [([UInt8], Int)])
  func `invalid UTF-8 is reported at the first byte of the character`(
    _ bytes: [UInt8], _ offset: Int
  ) throws {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONDocument(parsing: bytes) }
    #expect(error?.offset == offset)
  }

  @Test(arguments: [1, 2, 512])
  func `nesting is bounded`(_ limit: Int) throws {
    let fits = String(repeating: "[", count: limit) + String(repeating: "]", count: limit)
    _ = try JSONDocument(parsing: Array(fits.utf8), depthLimit: limit)
    let objects = String(repeating: #"{"a":"#, count: limit + 1)
    let error = #expect(throws: JSONSyntaxError.self) {
      try JSONDocument(parsing: Array(objects.utf8), depthLimit: limit)
    }
    #expect(error?.offset == limit * 5)
  }

  @Test func `a hundred thousand open brackets are rejected at the limit`() throws {
    let error = #expect(throws: JSONSyntaxError.self) {
      try JSONDocument(parsing: [UInt8](repeating: 0x5B, count: 100_000))
    }
    #expect(error?.offset == JSONDocument.defaultDepthLimit)
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
    (#""\uD83D\uDE00!""#, "😀!"), (#""a\u0000b""#, "a\u{0}b"), ("\"é😀\"", "é😀"),
    (#""\udbff\udfff""#, "\u{10FFFF}"), (#""""#, ""),
  ])
  func `escapes are resolved`(_ text: String, _ content: String) throws {
    #expect(try JSONDocument(parsing: Array(text.utf8)).root.string == content)
  }
}

extension Sequence<UInt8> {
  fileprivate var trimmed: [UInt8] {
    Array(Array(self).reversed().drop { $0 <= 0x20 }.reversed())
  }
}
