import Foundation
import ReactorLog
import Testing

struct TimestampTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_799_999, "2000-02-29T23:59:59.999Z"),
    (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
    (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    (1_795_207_380_123, "2026-11-20T20:43:00.123Z"),
  ])
  func `a timestamp is written as ISO 8601`(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).description == text)
  }

  @Test func `timestamps are written as Foundation writes them`() {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<5000 {
      // From 1600 to 9999; whole seconds with a separate fraction, because a Date is a Double.
      let seconds = Int64.random(in: -11_676_096_000..<253_402_300_800, using: &generator)
      let text = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
      let ours = Timestamp(milliseconds: seconds * 1000).description
      #expect(ours == text)
    }
  }

  @Test(
    arguments: [
      (5, 3, 2), (3, 5, -2), (5, .min, .max), (-5, .max, .min), (.max, -1, .max), (0, .max, -.max),
    ] as [(Int64, Int64, Int64)])
  func `the time since another one is clamped`(_ end: Int64, _ start: Int64, _ time: Int64) {
    let since = Timestamp(milliseconds: end).milliseconds(since: Timestamp(milliseconds: start))
    #expect(since == time)
  }

  @Test func `now is close to the system clock`() {
    let before = Int64(Date().timeIntervalSince1970 * 1000) - 1
    let now = Timestamp.now.milliseconds
    let after = Int64(Date().timeIntervalSince1970 * 1000) + 1
    #expect((before...after).contains(now))
  }
}
