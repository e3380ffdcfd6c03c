package import ReactorStreams

/// A time of the wall clock in milliseconds, as text in RFC 3339 and UTC.
///
/// ```swift
/// return .concat(.just(.setDeadline(.now + .seconds(30))), …)
/// ```
///
/// Its JSON is a string: `"2026-11-20T20:43:00.123Z"`.
public struct WallTime: Hashable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let milliseconds: Int64

  /// Creates a time.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The current time.
  ///
  /// In a `ReactorTest` it is the virtual time, counted from 1970.
  public static var now: WallTime {
    let clock = CurrentSerialContext.value?.timer as? any VirtualWallClock
    return clock?.wallTime ?? WallTime(milliseconds: WallClock.milliseconds)
  }

  /// The last millisecond of the year 9999, the last that RFC 3339 can express.
  public static let last = WallTime(milliseconds: 253_402_300_799_999)

  /// The earliest due time of a timer, 1970-01-01T00:00:00Z: an earlier time has also passed.
  static let earliest = WallTime(milliseconds: 0)
}

extension WallTime: Comparable {
  /// Returns whether a time precedes another time.
  public static func < (lhs: WallTime, rhs: WallTime) -> Bool {
    lhs.milliseconds < rhs.milliseconds
  }

  /// Returns the time plus a duration in whole milliseconds, clamped to the range of the type.
  public static func + (time: WallTime, duration: Duration) -> WallTime {
    let (sum, isOutside) = time.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
    return WallTime(milliseconds: isOutside ? (duration < .zero ? .min : .max) : sum)
  }

  /// Returns the time minus a duration in whole milliseconds, clamped to the range of the type.
  public static func - (time: WallTime, duration: Duration) -> WallTime {
    let (rest, isOutside) =
      time.milliseconds.subtractingReportingOverflow(duration.wholeMilliseconds)
    return WallTime(milliseconds: isOutside ? (duration < .zero ? .max : .min) : rest)
  }

  /// Returns the duration from the second time to the first.
  public static func - (lhs: WallTime, rhs: WallTime) -> Duration {
    .milliseconds(lhs.milliseconds) - .milliseconds(rhs.milliseconds)
  }
}

/// A scheduler whose time is not that of the process, such as the virtual time of a test.
package protocol VirtualWallClock: SchedulerType {
  /// The time that ``WallTime/now`` returns while the scheduler is the current one.
  var wallTime: WallTime { get }
}

extension Duration {
  /// The duration in whole milliseconds, clamped to the range of `Int64`.
  package var wholeMilliseconds: Int64 {
    // The components of a longer duration can trap.
    if self >= .milliseconds(Int64.max) { return .max }
    if self <= .milliseconds(Int64.min) { return .min }
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
