import FoundationEssentials
import ReactorHost
import ReactorLog
import Testing

@testable import ReactorService

struct LogFormatTests {
  private static let time = Timestamp(milliseconds: 1_795_207_380_123)

  private func line(
    _ format: LogFormat, level: String = "info", _ message: String,
    _ fields: [(String, String)] = []
  ) -> String {
    let bytes = format.line(time: Self.time, level: level, message: message, fields: fields)
    return String(decoding: bytes, as: UTF8.self)
  }

  private struct Decoded: Decodable, Equatable {
    var time: String
    var level: String
    var message: String
    var fields: [String: String]
  }

  private func decoded(_ line: String) throws -> Decoded {
    try JSONDecoder().decode(Decoded.self, from: Data(line.utf8))
  }

  @Test func `a line in the format text has the time, the level and the fields`() {
    #expect(
      line(.text, "session ended", [("reactor", "counter"), ("session", "demo")])
        == "2026-11-20T20:43:00.123Z info  session ended reactor=counter session=demo\n")
    #expect(
      line(.text, level: "warning", "odd") == "2026-11-20T20:43:00.123Z warning odd\n")
  }

  @Test func `json format has one object per line`() {
    #expect(
      line(.json, "session ended", [("reactor", "counter"), ("session", "demo")])
        == #"{"time":"2026-11-20T20:43:00.123Z","level":"info","message":"session ended","#
        + #""fields":{"reactor":"counter","session":"demo"}}"# + "\n")
    #expect(line(.json, "ready").hasSuffix(#""message":"ready","fields":{}}"# + "\n"))
  }

  @Test(arguments: [
    ("", #""""#), ("a b", #""a b""#), ("a=b", #""a=b""#), (#"a"b"#, #""a\"b""#),
    (#"a\nb"#, #""a\\nb""#), ("a\nb", #""a\nb""#), ("\r\t\0", #""\r\t\u{0}""#),
    ("a\u{1B}[31m", #""a\u{1b}[31m""#), ("\u{2028}\u{202E}\u{85}", #"\u{2028}\u{202e}\u{85}"#),
    ("smörgås", "smörgås"), ("日本", "日本"),
  ])
  func `values are escaped in the text format`(
    _ value: String, _ written: String
  ) {
    let text = line(.text, "m", [("k", value)])
    #expect(text == "2026-11-20T20:43:00.123Z info  m k=\(written)\n")
  }

  @Test func `a message cannot forge a second line`() {
    let forged = "end\n2026-11-20T20:43:00.124Z error all is lost"
    for format in LogFormat.allCases {
      let text = line(format, forged)
      #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
    }
  }

  @Test(arguments: [
    "plain", "\"quoted\" \\ back", "a\nb\r\t\0\u{1F}\u{7F}\u{85}", "\u{2028}\u{202E}", "\u{E0001}",
    "日本 👩‍👩‍👧",
  ])
  func `json decodes to the logged strings`(_ value: String) throws {
    let decoded = try decoded(line(.json, value, [(value, value)]))
    #expect(decoded.message == value)
    #expect(decoded.fields == [value: value])
  }

  @Test(arguments: LogFormat.allCases, ["x", "\n", "\u{1}", "\"", "é", "\u{E0001}"])
  func `lines are limited to the maximum length`(
    _ format: LogFormat, _ unit: String
  ) throws {
    let long = String(repeating: unit, count: 10_000)
    let fields = (0..<50).map { ("field\($0)", long) }
    for fields in [[], Array(fields.prefix(1)), fields] {
      let text = line(format, long, fields)
      #expect(text.utf8.count <= LogFormat.lineLimit)
      #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
      #expect(text.contains("…"))
      #expect(!text.contains("\u{FFFD}"))
      if format == .json { _ = try decoded(text) }
      #expect(text.contains("truncated") == (fields.count == 50))
    }
  }

  @Test(arguments: [
    ("12345678", "12345678"), ("123456789", "12345…"), ("1234567é", "12345…"), ("éééé", "éééé"),
    ("ééééé", "éé…"), ("12345\n7", "12345\\n7"), ("1234567\n", "12345…"),
  ])
  func `truncation is marked and never splits a character or an escape`(
    _ text: String, _ written: String
  ) {
    var bytes: [UInt8] = []
    LogEscape.plain.write(text, to: &bytes, limit: 8)
    #expect(String(decoding: bytes, as: UTF8.self) == written)
  }
}
