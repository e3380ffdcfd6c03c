internal import ReactorCoding

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A time of the wall clock in milliseconds.
///
/// It does not order entries: versions do.
public struct Timestamp: Hashable, Sendable, CustomStringConvertible {
  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public var milliseconds: Int64

  /// Creates a timestamp.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The current time.
  public static var now: Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Returns the milliseconds since another time, clamped to the range of `Int64`.
  package func milliseconds(since other: Timestamp) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(other.milliseconds)
    guard overflow else { return difference }
    return milliseconds < other.milliseconds ? .min : .max
  }

  /// The time as ISO 8601 in UTC: `2026-11-20T20:43:00.123Z`.
  public var description: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the time as ISO 8601 in UTC.
  ///
  /// Does not use Foundation's formatters, because they link ICU, which is four times the size of
  /// the daemon.
  public func write(to bytes: inout [UInt8]) {
    let (days, inDay) = milliseconds.flooredQuotientAndRemainder(by: 86_400_000)
    let date = CivilDate(days: days)
    let seconds = inDay / 1000
    Self.write(date.year, digits: 4, end: "-", to: &bytes)
    Self.write(date.month, digits: 2, end: "-", to: &bytes)
    Self.write(date.day, digits: 2, end: "T", to: &bytes)
    Self.write(seconds / 3600, digits: 2, end: ":", to: &bytes)
    Self.write(seconds / 60 % 60, digits: 2, end: ":", to: &bytes)
    Self.write(seconds % 60, digits: 2, end: ".", to: &bytes)
    Self.write(inDay % 1000, digits: 3, end: "Z", to: &bytes)
  }

  private static func write(
    _ number: Int64, digits: Int, end: Unicode.Scalar, to bytes: inout [UInt8]
  ) {
    let text = String(number).utf8
    bytes += repeatElement(UInt8(ascii: "0"), count: max(0, digits - text.count))
    bytes += text
    bytes.append(UInt8(ascii: end))
  }
}

extension Int64 {
  fileprivate func flooredQuotientAndRemainder(by divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
