internal import Glibc

/// Measures elapsed time.
///
/// Reads the clock directly: the standard library's clocks count in attoseconds, and that arithmetic
/// takes longer than a commit to memory.
package struct Stopwatch: Sendable {
  private let start = nanoseconds

  /// Starts a stopwatch.
  package init() {}

  /// Whole microseconds since the start.
  package var microseconds: Int { (Self.nanoseconds - start) / 1000 }

  private static var nanoseconds: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
