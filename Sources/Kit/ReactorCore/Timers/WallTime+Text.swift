extension WallTime: LosslessStringConvertible, Codable {
  /// Parses RFC 3339: `2026-11-20T20:43:00Z`, `2026-11-20T21:43:00.123456789+01:00`.
  ///
  /// Decimals beyond the milliseconds are dropped. The result is `nil` for any other text.
  public init?(_ description: String) {
    var fields = TimeFields(description.utf8)
    guard let year = fields.year(), fields.skip("-"),
      let month = fields.number(digits: 2), fields.skip("-"),
      let day = fields.number(digits: 2), fields.skip("T", "t", " "),
      let hour = fields.number(digits: 2), fields.skip(":"),
      let minute = fields.number(digits: 2), fields.skip(":"),
      let second = fields.number(digits: 2), let fraction = fields.fraction(),
      let offset = fields.offset(), fields.isAtEnd, hour < 24, minute < 60
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    guard (1...12).contains(month), CivilDate(days: date.days) == date else { return nil }
    let minutes = (date.days * 24 + hour) * 60 + minute - offset
    // A leap second is the first one of the next day.
    guard second < 60 || second == 60 && (minutes + 1) % 1440 == 0 else { return nil }
    // The year 999,999,999 is beyond the range of `Int64`.
    let sum = Int128(minutes * 60 + second) * 1000 + Int128(fraction)
    guard let milliseconds = Int64(exactly: sum) else { return nil }
    self.milliseconds = milliseconds
  }

  /// The time in RFC 3339 and UTC: `2026-11-20T20:43:00.123Z`.
  ///
  /// A year outside of 0 to 9999 has a sign and at least six digits, as in ECMAScript.
  public var description: String {
    var (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    if rest < 0 { (days, rest) = (days - 1, rest + 86_400_000) }
    let date = CivilDate(days: days)
    func text(_ number: Int64, _ digits: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
    let isLong = !(0...9999).contains(date.year)
    let year =
      isLong
      ? (date.year < 0 ? "-" : "+") + text(Int64(date.year.magnitude), 6) : text(date.year, 4)
    return "\(year)-\(text(date.month, 2))-\(text(date.day, 2))T"
      + "\(text(rest / 3_600_000, 2)):\(text(rest / 60_000 % 60, 2)):\(text(rest / 1000 % 60, 2))."
      + "\(text(rest % 1000, 3))Z"
  }

  /// Decodes a time from RFC 3339.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let time = WallTime(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "Expected a time of RFC 3339, such as 2026-11-20T20:43:00.123Z.")
    }
    self = time
  }

  /// Encodes the time as RFC 3339.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A date of the proleptic Gregorian calendar.
///
/// The algorithms are Howard Hinnant's `civil_from_days` and `days_from_civil`: years start in
/// March, so that a leap day is the last day of its year.
private struct CivilDate: Equatable {
  let year: Int64
  let month: Int64
  let day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The date of a day counted from 1970-01-01.
  init(days: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
    month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of days since 1970-01-01.
  var days: Int64 {
    let year = month <= 2 ? self.year - 1 : self.year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

/// Reads the fields of a time from its text.
private struct TimeFields {
  private var rest: Substring.UTF8View

  init(_ text: String.UTF8View) {
    rest = text[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ characters: Unicode.Scalar...) -> Bool {
    guard let byte = rest.first, characters.contains(Unicode.Scalar(byte)) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(digits: Int) -> Int64? {
    var number: Int64 = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return number
  }

  /// Reads a year of four digits, or a sign and six to nine digits.
  mutating func year() -> Int64? {
    let isNegative = rest.first == UInt8(ascii: "-")
    guard skip("+", "-") else { return number(digits: 4) }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    guard (6...9).contains(digits), let year = number(digits: digits) else { return nil }
    return isNegative ? -year : year
  }

  /// Reads the milliseconds after a decimal point; 0 if there is no decimal point.
  mutating func fraction() -> Int64? {
    guard skip(".") else { return 0 }
    guard let first = digit() else { return nil }
    let milliseconds = first * 100 + (digit() ?? 0) * 10 + (digit() ?? 0)
    while digit() != nil {}
    return milliseconds
  }

  /// Reads the minutes by which the local time is ahead of UTC.
  mutating func offset() -> Int64? {
    if skip("Z", "z") { return 0 }
    let sign: Int64 = rest.first == UInt8(ascii: "-") ? -1 : 1
    guard skip("+", "-"), let hours = number(digits: 2), hours < 24, skip(":"),
      let minutes = number(digits: 2), minutes < 60
    else { return nil }
    return sign * (hours * 60 + minutes)
  }

  private mutating func digit() -> Int64? {
    guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
      return nil
    }
    rest.removeFirst()
    return Int64(byte - UInt8(ascii: "0"))
  }
}
