internal import Glibc

/// A moment as a log shows it: `2026-11-20T20:43:00.123Z`, always UTC.
///
/// Written by hand because a formatter of Foundation brings ICU with it, which is four times the
/// size of the rest of the daemon.
struct LogTimestamp: Equatable {
  /// Seconds since 1970, which may be negative.
  let seconds: Int

  /// Milliseconds of the second, 0 to 999.
  let milliseconds: Int

  init(seconds: Int, milliseconds: Int) {
    self.seconds = seconds
    self.milliseconds = milliseconds
  }

  /// This moment, by the system's clock.
  static var now: LogTimestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return LogTimestamp(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
  }

  /// Appends the 24 bytes.
  func write(to bytes: inout [UInt8]) {
    var days = seconds / 86_400
    var second = seconds % 86_400
    if second < 0 {
      days -= 1
      second += 86_400
    }
    let (year, month, day) = Self.date(ofDay: days)
    Self.write(year, digits: 4, end: "-", to: &bytes)
    Self.write(month, digits: 2, end: "-", to: &bytes)
    Self.write(day, digits: 2, end: "T", to: &bytes)
    Self.write(second / 3_600, digits: 2, end: ":", to: &bytes)
    Self.write(second / 60 % 60, digits: 2, end: ":", to: &bytes)
    Self.write(second % 60, digits: 2, end: ".", to: &bytes)
    Self.write(milliseconds, digits: 3, end: "Z", to: &bytes)
  }

  /// The Gregorian date of a day counted from 1970-01-01.
  ///
  /// Years are taken to begin in March, so that the leap day is the last of its year, and are
  /// counted within eras of 400 years, which all have 146,097 days (Howard Hinnant,
  /// "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
  static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
    let sinceEraZero = day + 719_468
    let era = (sinceEraZero >= 0 ? sinceEraZero : sinceEraZero - 146_096) / 146_097
    let dayOfEra = sinceEraZero - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth)
  }

  private static func write(
    _ number: Int, digits: Int, end: Unicode.Scalar, to bytes: inout [UInt8]
  ) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: abs(number) / divisor % 10))
      divisor /= 10
    }
    bytes.append(UInt8(ascii: end))
  }
}
