internal import Glibc

/// What a loop does to the descriptor of a connection.
///
/// Whoever holds one closes it, once.
struct StreamSocket {
  /// What came of a write.
  enum Written: Equatable {
    case bytes(Int)
    case full
    case broken
  }

  /// What came of reading and dropping.
  enum Dropped: Equatable {
    /// So many bytes, and nothing more for now.
    case bytes(Int)
    /// So many bytes, and there are more.
    case more(Int)
    /// The client has closed its direction.
    case end
    case broken
  }

  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Sends each event at once, however small.
  func sendWithoutDelay() {
    var enabled: Int32 = 1
    _ = unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled,
      socklen_t(MemoryLayout<Int32>.size))
  }

  /// Writes as much of what is owed as there is room for, or as is written at once.
  func write(_ owed: OwedBytes) -> Written {
    let count = unsafe owed.withNext { bytes in
      while true {
        let count = unsafe send(
          descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        if count >= 0 || errno != EINTR { return count }
      }
    }
    if count >= 0 { return .bytes(count) }
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? .full : .broken
  }

  /// Reads what the client sends and forgets it, up to 128 KiB.
  func drop() -> Dropped {
    unsafe withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { scratch in
      var total = 0
      for _ in 0..<8 {
        let count = unsafe recv(
          descriptor, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT))
        switch count {
        case 0: return .end
        case 1...: total += count
        case _ where errno == EINTR: continue
        case _ where errno == EAGAIN || errno == EWOULDBLOCK: return .bytes(total)
        default: return .broken
        }
      }
      return .more(total)
    }
  }

  /// Tells the client that nothing more comes.
  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Gives the descriptor back.
  func close() { _ = Glibc.close(descriptor) }

  /// What the poller watches.
  func watch(in poller: borrowing Poller, token: UInt64) -> Bool {
    poller.add(descriptor, token: token)
  }
}
