import Testing

@testable import ReactorService

struct JSON5ParserTests {
  private static let values: [(String, ConfigurationValue?)] = [
    ("0x1F", .integer(31)), ("-0x10", .integer(-16)), ("+7", .integer(7)), ("-0", .integer(0)),
    (".5", .number(0.5)), ("5.", .number(5)), ("-.5e1", .number(-5)), ("1.e2", .number(100)),
    ("1e2", .number(100)), ("1E+2", .number(100)), ("1e-2", .number(0.01)),
    ("Infinity", .number(.infinity)), ("-Infinity", .number(-.infinity)),
    ("9223372036854775807", .integer(.max)), ("9223372036854775808", .number(0x1p63)),
    ("true", .boolean(true)), ("false", .boolean(false)), ("null", .null),
    (#"'a"b'"#, .string("a\"b")), (#""\ud83d\ude00""#, .string("😀")),
    ("'\\x41\\u0042\\n\\\nc\\q\\0'", .string("AB\ncq\0")),
    ("[1,2,]", .array([.integer(1), .integer(2)])), ("[]", .array([])),
    ("/* a */ 1 // b", .integer(1)), ("\u{FEFF}1", .integer(1)),
    ("[1,,]", nil), ("[,]", nil), ("01", nil), ("1.2.3", nil), ("0x", nil), ("1e", nil),
    (".", nil), ("+", nil), ("1-2", nil), ("nul", nil), ("1 2", nil), ("/* a", nil),
    ("'\\ud83d'", nil), ("'\\x4'", nil), ("'\\u+041'", nil), ("'\\1'", nil), ("'a\nb'", nil),
  ]

  @Test(arguments: values)
  func `a value is parsed as the specification says`(_ text: String, _ value: ConfigurationValue?) {
    #expect((try? JSON5Parser.parse(text)) == value)
  }

  @Test func `names may be identifiers or strings`() throws {
    let value = try JSON5Parser.parse("{ $a_1: 1,\n 'b c': 2, ünï: 3, \"\\u0064\": 4, }")
    guard case .object(let members) = value else {
      Issue.record("not an object")
      return
    }
    #expect(members.map(\.name) == ["$a_1", "b c", "ünï", "d"])
    #expect(members.map(\.position).map(\.description) == ["1:3", "2:2", "2:12", "2:20"])
  }

  @Test func `a name that occurs twice is an error, also in another spelling`() {
    #expect(
      throws: JSON5Parser.Failure(
        position: FilePosition(line: 2, column: 2), reason: "\"a\" occurs twice")
    ) {
      try JSON5Parser.parse("{ a: 1,\n '\\x61': 2 }")
    }
  }
}
