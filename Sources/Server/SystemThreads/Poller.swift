internal import CLinuxEvents
internal import Glibc

/// An epoll instance.
package struct Poller: ~Copyable, Sendable {
  /// The state of a descriptor.
  package struct Event {
    /// The token that the descriptor was added with.
    package var token: UInt64
    /// The connection was reset or is closed in both directions.
    package var isBroken: Bool
    /// There are bytes to read, or the peer has closed its direction.
    package var isReadable: Bool
    /// The descriptor is writable.
    package var isWritable: Bool
  }

  private let descriptor: Int32

  /// Creates an instance, or returns `nil` if the process has no descriptors left.
  package init?() {
    let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Adds a descriptor, edge-triggered for every change, until it is closed.
  ///
  /// - Returns: `false` if the system has no memory or watches left.
  package func add(_ watched: Int32, token: UInt64) -> Bool {
    add(
      watched, token,
      EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue)
  }

  /// Adds a descriptor, level-triggered for reading.
  package func addReadable(_ watched: Int32, token: UInt64) -> Bool {
    add(watched, token, EPOLLIN.rawValue)
  }

  /// Adds another instance, level-triggered while it has events.
  package func addReadable(_ other: borrowing Poller, token: UInt64) -> Bool {
    addReadable(other.descriptor, token: token)
  }

  /// Adds a listening socket; a new connection wakes one of the instances that watch it.
  package func addListening(_ watched: Int32, token: UInt64) -> Bool {
    add(watched, token, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue)
  }

  /// Removes a descriptor.
  package func remove(_ watched: Int32) {
    _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, nil)
  }

  private func add(_ watched: Int32, _ token: UInt64, _ interest: UInt32) -> Bool {
    var event = unsafe epoll_event(events: interest, data: epoll_data_t(u64: token))
    return unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0
  }

  /// Waits for events, up to 64, and calls a function with each.
  ///
  /// - Parameters:
  ///   - milliseconds: How long to wait; -1 waits without a limit.
  ///   - body: Receives each event.
  package func wait(milliseconds: Int32, _ body: (Event) -> Void) {
    // At most 1,024 bytes: Swift allocates larger temporary buffers on the heap, at each call.
    unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      guard let first = events.baseAddress else { return }
      let count = unsafe epoll_wait(
        descriptor, first, Int32(clamping: events.count), milliseconds)
      guard count > 0 else { return }
      for index in 0..<min(Int(count), events.count) {
        let event = unsafe events[index]
        let flags = unsafe event.events
        body(
          Event(
            token: unsafe event.data.u64,
            isBroken: flags & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0,
            isReadable: flags & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0,
            isWritable: flags & EPOLLOUT.rawValue != 0))
      }
    }
  }
}
