internal import CLinuxEvents
internal import Glibc

/// An epoll instance.
struct Poller: ~Copyable, Sendable {
  /// What happened to a descriptor.
  struct Event {
    var token: UInt64
    var isBroken: Bool
    var isReadable: Bool
    var isWritable: Bool
  }

  private let descriptor: Int32

  init() throws(ServerError) {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else {
      throw ServerError(.noResources, "The system gave no epoll descriptor.")
    }
  }

  deinit { close(descriptor) }

  /// Watches a descriptor for everything that changes, until it is closed.
  ///
  /// False when the system refuses.
  func add(_ watched: Int32, token: UInt64) -> Bool {
    add(
      watched, token,
      EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue)
  }

  /// Watches a descriptor as long as it can be read.
  func addReadable(_ watched: Int32, token: UInt64) -> Bool {
    add(watched, token, EPOLLIN.rawValue)
  }

  /// Watches another one as long as it has something to tell.
  func addReadable(_ other: borrowing Poller, token: UInt64) -> Bool {
    addReadable(other.descriptor, token: token)
  }

  /// Watches a listening socket, of which a new connection wakes one poller only.
  func addListening(_ watched: Int32, token: UInt64) -> Bool {
    add(watched, token, EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue)
  }

  /// Watches a descriptor no more.
  func remove(_ watched: Int32) {
    _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, nil)
  }

  private func add(_ watched: Int32, _ token: UInt64, _ interest: UInt32) -> Bool {
    var event = unsafe epoll_event(events: interest, data: epoll_data_t(u64: token))
    return unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0
  }

  /// Waits at most `milliseconds` (-1: for ever) and hands over what happened.
  func wait(milliseconds: Int32, _ body: (Event) -> Void) {
    // No more than 1,024 bytes: beyond that Swift takes them from the heap, for each waiting anew.
    unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      let count = unsafe epoll_wait(
        descriptor, events.baseAddress, Int32(clamping: events.count), milliseconds)
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
