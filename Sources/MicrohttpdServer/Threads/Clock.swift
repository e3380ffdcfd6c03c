internal import Glibc

/// The time since the machine started, for deadlines: it never jumps.
enum Clock {
  /// Now, in milliseconds.
  static var milliseconds: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) &* 1000 &+ Int64(now.tv_nsec) / 1_000_000
  }

  /// Now, in seconds of the calendar.
  static var calendarSeconds: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec)
  }
}

extension Duration {
  /// Whole milliseconds, never negative, at most some 24 days: what a system call takes.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let limit = Int64(Int32.max)
    guard seconds < limit / 1000 else { return limit }
    return max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
}
