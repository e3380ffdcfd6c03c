internal import CLinuxEvents
internal import Glibc

/// A bell between threads: an eventfd.
///
/// Ringing it twice before it was heard is one ring.
struct WakeEvent: ~Copyable, Sendable {
  /// What a poll or an epoll watches for reading.
  let descriptor: Int32

  init() throws(ServerError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else {
      throw ServerError(.noResources, "The system gave no event descriptor.")
    }
  }

  deinit { close(descriptor) }

  /// Rings.
  ///
  /// Any thread; never blocks (a full counter is a bell that rings already).
  func ring() { _ = eventfd_write(descriptor, 1) }

  /// Takes the ring away.
  func clear() {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor, &count)
  }

  /// Blocks this thread until the bell rings or `milliseconds` have passed.
  func wait(milliseconds: Int64) {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&watched, 1, Int32(clamping: milliseconds))
    clear()
  }
}
