#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The time of day.
///
/// It is not monotonic: it can be set back.
package enum WallClock {
  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  package static var milliseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
