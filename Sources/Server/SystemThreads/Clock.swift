internal import Glibc

/// The system's clocks, read without a system call.
package enum Clock {
  /// The monotonic time in milliseconds, for deadlines.
  package static var milliseconds: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) &* 1000 &+ Int64(now.tv_nsec) / 1_000_000
  }

  /// The seconds since 1 January 1970, UTC.
  package static var calendarSeconds: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec)
  }
}

extension Duration {
  /// The duration in whole milliseconds, clamped to `0...Int32.max`, which system calls accept.
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let limit = Int64(Int32.max)
    guard seconds < limit / 1000 else { return limit }
    return max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
}
