/// The text of a time in RFC 3339, with as many decimals as the seconds need to be read back exactly.
///
/// Times are counted in seconds from 2001-01-01T00:00:00Z, leap seconds not counted.
enum TimeText {
  /// 2001-01-01 in days from 1970-01-01.
  private static let firstDay: Int64 = 11_323

  /// The decimals that are read; a `Double` has no smaller ones.
  private static let decimals = 400

  /// Appends a time in UTC.
  ///
  /// A year outside of 0 to 9999, which RFC 3339 does not have, is written as in ECMAScript: with a
  /// sign and at least six digits.
  ///
  /// - Parameters:
  ///   - seconds: Less than 2^53 in magnitude.
  ///   - bytes: Receives the text.
  static func append(_ seconds: Double, to bytes: inout [UInt8]) {
    let whole = Int64(seconds.rounded(.down))
    let inDay = (whole % 86_400 + 86_400) % 86_400
    let date = CivilDate(days: (whole - inDay) / 86_400 + firstDay)
    let isLong = !(0...9999).contains(date.year)
    if isLong { bytes.append(date.year < 0 ? ASCII.minus : ASCII.plus) }
    append(date.year.magnitude, digits: isLong ? 6 : 4, to: &bytes)
    for (mark, number) in [
      (ASCII.minus, date.month), (ASCII.minus, date.day), (UInt8(ascii: "T"), inDay / 3600),
      (ASCII.colon, inDay / 60 % 60), (ASCII.colon, inDay % 60),
    ] {
      bytes.append(mark)
      append(number.magnitude, digits: 2, to: &bytes)
    }
    if Double(whole) != seconds {
      bytes.append(ASCII.dot)
      bytes += fraction(of: seconds).map { ASCII.zero + $0 }
    }
    bytes.append(UInt8(ascii: "Z"))
  }

  private static func append(_ number: UInt64, digits: Int, to bytes: inout [UInt8]) {
    let text = String(number).utf8
    bytes += repeatElement(ASCII.zero, count: max(0, digits - text.count))
    bytes += text
  }

  /// The decimals of the seconds after the whole second below.
  private static func fraction(of seconds: Double) -> [UInt8] {
    let parts = JSONNumberParts(seconds.description.utf8.span)
    let decimals = -parts.exponent
    let digits = parts.digits.suffix(decimals)
    let fraction = Array(repeatElement(0, count: decimals - digits.count)) + digits
    return parts.isNegative ? complement(fraction) : fraction
  }

  /// Returns 1 minus a fraction whose last digit is not 0.
  private static func complement(_ fraction: [UInt8]) -> [UInt8] {
    fraction.indices.map { $0 == fraction.count - 1 ? 10 - fraction[$0] : 9 - fraction[$0] }
  }

  /// Returns the seconds of a text in RFC 3339 with any offset and number of decimals, or `nil` for any
  /// other text.
  static func seconds(_ text: String) -> Double? {
    var fields = TimeFields(rest: Array(text.utf8)[...])
    guard let year = fields.year(), fields.skip("-"), let month = fields.number(digits: 2),
      fields.skip("-"), let day = fields.number(digits: 2), fields.skip("T", "t", " "),
      let hour = fields.number(digits: 2), hour < 24, fields.skip(":"),
      let minute = fields.number(digits: 2), minute < 60, fields.skip(":"),
      let second = fields.number(digits: 2), let fraction = fields.fraction(),
      let offset = fields.offset(), fields.rest.isEmpty
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    guard (1...12).contains(month), CivilDate(days: date.days) == date else { return nil }
    let minutes = ((date.days - firstDay) * 24 + hour) * 60 + minute - offset
    // A leap second is the first one of the next day.
    guard second < 60 || second == 60 && (minutes + 1) % 1440 == 0 else { return nil }
    return seconds(minutes * 60 + second, fraction)
  }

  /// Returns the nearest number to a whole second plus a fraction.
  private static func seconds(_ whole: Int64, _ fraction: ArraySlice<UInt8>) -> Double? {
    var digits = Array(fraction.prefix(decimals))
    while digits.last == 0 { digits.removeLast() }
    guard !digits.isEmpty else { return Double(whole) }
    if whole < 0 { digits = complement(digits) }
    let text = digits.map { ASCII.zero + $0 }
    return Double(
      (whole < 0 ? "-\(-(whole + 1))." : "\(whole).") + String(decoding: text, as: UTF8.self))
  }
}

/// Reads the fields of a time from its text.
private struct TimeFields {
  var rest: ArraySlice<UInt8>

  mutating func skip(_ marks: Unicode.Scalar...) -> Bool {
    guard let byte = rest.first, marks.contains(Unicode.Scalar(byte)) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(digits: Int) -> Int64? {
    var number: Int64 = 0
    for _ in 0..<digits {
      guard let digit = rest.first.flatMap(ASCII.digit) else { return nil }
      rest.removeFirst()
      number = number * 10 + Int64(digit)
    }
    return number
  }

  /// Reads a year of four digits, or a sign and six to nine digits.
  mutating func year() -> Int64? {
    let isNegative = rest.first == ASCII.minus
    guard skip("+", "-") else { return number(digits: 4) }
    let digits = rest.prefix { ASCII.digit($0) != nil }.count
    guard (6...9).contains(digits), let year = number(digits: digits) else { return nil }
    return isNegative ? -year : year
  }

  /// Reads the digits after a decimal point; none if there is no decimal point.
  mutating func fraction() -> ArraySlice<UInt8>? {
    guard skip(".") else { return [] }
    let digits = rest.prefix { ASCII.digit($0) != nil }
    rest = rest.dropFirst(digits.count)
    return digits.isEmpty ? nil : digits.map { $0 - ASCII.zero }[...]
  }

  /// Reads the minutes by which the local time is ahead of UTC.
  mutating func offset() -> Int64? {
    if skip("Z", "z") { return 0 }
    let isNegative = rest.first == ASCII.minus
    guard skip("+", "-"), let hours = number(digits: 2), hours < 24, skip(":"),
      let minutes = number(digits: 2), minutes < 60
    else { return nil }
    return (isNegative ? -1 : 1) * (hours * 60 + minutes)
  }
}
