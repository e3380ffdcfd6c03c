#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

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

  /// Returns the time at a number of microseconds after the start, for ``hasPassed(_:)``.
  package func time(after microseconds: Int) -> Int { start / 1000 + microseconds }

  /// Whether a time has passed.
  package static func hasPassed(_ time: Int) -> Bool { nanoseconds / 1000 >= time }

  private static var nanoseconds: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
