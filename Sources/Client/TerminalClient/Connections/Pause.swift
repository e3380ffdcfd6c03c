internal import Glibc

/// Blocks the calling thread for a time; returns immediately if the time is not positive.
func pause(_ time: Duration) {
  usleep(UInt32(clamping: Int64(max(.zero, time) / .microseconds(1))))
}
