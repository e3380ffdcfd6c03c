import Testing

@testable import ReactorService

struct LogTimestampTests {
  @Test(arguments: [
    (0, 0, "1970-01-01T00:00:00.000Z"),
    (-1, 999, "1969-12-31T23:59:59.999Z"),
    (951_782_399, 1, "2000-02-28T23:59:59.001Z"),
    (951_782_400, 1, "2000-02-29T00:00:00.001Z"),
    (951_868_800, 0, "2000-03-01T00:00:00.000Z"),
    (1_795_207_380, 123, "2026-11-20T20:43:00.123Z"),
    (4_107_542_400, 0, "2100-03-01T00:00:00.000Z"),
    (253_402_300_799, 50, "9999-12-31T23:59:59.050Z"),
  ])
  func `a moment is written in UTC`(_ seconds: Int, _ milliseconds: Int, _ text: String) {
    var bytes: [UInt8] = []
    LogTimestamp(seconds: seconds, milliseconds: milliseconds).write(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test func `each day of 400 years follows the one before`() {
    var (year, month, day) = LogTimestamp.date(ofDay: 0)
    #expect((year, month, day) == (1970, 1, 1))
    for number in 1...146_097 {
      let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
      let length =
        switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
      if day < length {
        day += 1
      } else if month < 12 {
        (month, day) = (month + 1, 1)
      } else {
        (year, month, day) = (year + 1, 1, 1)
      }
      let date = LogTimestamp.date(ofDay: number)
      guard date == (year, month, day) else {
        Issue.record("day \(number) is \(date), expected \((year, month, day))")
        return
      }
    }
  }
}
