internal import CLinuxEvents
internal import Glibc

/// Wakes a sleeping thread.
@usableFromInline
package protocol ThreadWaking: Sendable {
  /// Wakes the thread, or keeps it from falling asleep the next time it tries.
  ///
  /// Callable from any thread; never blocks.
  func wake()
}

/// An eventfd that wakes a thread that sleeps in a ``Poller``.
///
/// Wakes that happen before the thread clears them coalesce into one.
package final class Waker: ThreadWaking {
  /// The descriptor to poll for reading.
  package let descriptor: Int32

  /// Creates a waker, or returns `nil` if the process has no descriptors left.
  package init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package func wake() {
    // A write to a full counter fails, and its reader is awake anyway.
    _ = eventfd_write(descriptor, 1)
  }

  /// Consumes pending wakes.
  package func clear() {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor, &count)
  }

  /// Blocks the calling thread until a wake arrives or the time has passed.
  package func wait(milliseconds: Int64) {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&watched, 1, Int32(clamping: milliseconds))
    clear()
  }
}
