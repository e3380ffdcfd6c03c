import ReactorCoding
import ReactorCore
import Testing

/// Times as text, and the repetitions of timers.
@Suite struct WallTimeTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (1_795_207_380_123, "2026-11-20T20:43:00.123Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
      (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
      (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
      (.max, "+292278994-08-17T07:12:55.807Z"), (.min, "-292275055-05-16T16:47:04.192Z"),
    ] as [(Int64, String)])
  func `a time is text in RFC 3339`(_ milliseconds: Int64, _ text: String) throws {
    let time = WallTime(milliseconds: milliseconds)
    #expect(time.description == text)
    #expect(WallTime(text) == time)
    let json = try JSONCoder.encode([time])
    #expect(String(decoding: json, as: UTF8.self) == #"["\#(text)"]"#)
    #expect(try JSONCoder.decode([WallTime].self, from: json) == [time])
  }

  @Test(
    arguments: [
      ("2026-11-20T20:43:00Z", 0), ("2026-11-20T20:43:00.5Z", 500),
      ("2026-11-20T20:43:00.05Z", 50), ("2026-11-20T20:43:00.123456789Z", 123),
      ("2026-11-20t20:43:00z", 0), ("2026-11-20 20:43:00Z", 0),
      ("2026-11-20T21:43:00+01:00", 0), ("2026-11-20T16:13:00.5-04:30", 500),
      ("2026-11-20T20:43:00-00:00", 0),
    ] as [(String, Int64)])
  func `every form of RFC 3339 is read`(_ text: String, _ milliseconds: Int64) {
    #expect(WallTime(text)?.milliseconds == 1_795_207_380_000 + milliseconds)
  }

  @Test(arguments: [
    "", "2026-11-20", "2026-11-20T20:43:00", "2026-11-20T20:43:00+0100", "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-20T24:00:00Z",
    "2026-11-20T20:60:00Z", "2026-11-20T20:43:00.Z", "2026-11-20T20:43:60Z",
    "+999999999-01-01T00:00:00Z", "2026-11-20T20:43:00+24:00", "2026-11-20T20:43:00Z ",
    "12026-11-20T20:43:00Z",
  ])
  func `any other text is no time`(_ text: String) {
    #expect(WallTime(text) == nil)
    #expect(throws: (any Error).self) {
      try JSONCoder.decode([WallTime].self, from: Array(#"["\#(text)"]"#.utf8))
    }
  }

  @Test func `arithmetic is clamped`() {
    #expect(WallTime(milliseconds: 5) + .milliseconds(7) == WallTime(milliseconds: 12))
    #expect(WallTime(milliseconds: 5) - .milliseconds(7) == WallTime(milliseconds: -2))
    #expect(WallTime(milliseconds: .max) + .seconds(1) == WallTime(milliseconds: .max))
    #expect(WallTime(milliseconds: 0) + .seconds(Int64.max) == WallTime(milliseconds: .max))
    #expect(WallTime(milliseconds: 9) - WallTime(milliseconds: 4) == .milliseconds(5))
  }

  @Test func `a duration of any length is clamped`() throws {
    // More seconds than `Int64` has.
    let long = try JSONCoder.decode(Duration.self, from: Array("[9000000000000000000,0]".utf8))
    let time = WallTime(milliseconds: 0)
    #expect(time + long == WallTime(milliseconds: .max))
    #expect(time - long == WallTime(milliseconds: -.max))
    #expect(time + (.zero - long) == WallTime(milliseconds: .min))
    #expect(
      [Int64.max, .max - 1, .min, .min + 1, 1999, -1999].allSatisfy {
        Duration.milliseconds($0).wholeMilliseconds == $0
      })
  }

  @Test func `a schema describes a time as text`() {
    #expect(JSONSchema.derive(WallTime.self) == ["type": "string", "format": "date-time"])
  }
}
