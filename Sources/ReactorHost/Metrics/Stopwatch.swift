internal import Glibc

/// Tells how long something took.
struct Stopwatch {
  private let start = nanoseconds

  /// The time since this was made, in whole microseconds.
  var microseconds: Int { (Self.nanoseconds - start) / 1000 }

  /// The standard library's clocks count in attoseconds, which costs more than what is measured.
  private static var nanoseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
