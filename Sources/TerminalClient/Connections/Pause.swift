internal import Glibc

/// Blocks this thread for a time; returns at once if it is not positive.
func pause(_ time: Duration) {
  usleep(UInt32(clamping: Int64(max(.zero, time) / .microseconds(1))))
}
