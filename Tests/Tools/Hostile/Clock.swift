import Glibc

/// Monotonic time in seconds, and pauses.
enum Clock {
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func pause(_ seconds: Double) {
    if seconds > 0 { usleep(UInt32(seconds * 1e6)) }
  }
}
