internal import Glibc
internal import SystemThreads

/// The descriptor of a stream's connection; its owner closes it once.
struct StreamSocket {
  /// The result of a write.
  enum Written: Equatable {
    case bytes(Int)
    case full
    case broken
  }

  /// The result of dropping input.
  enum Dropped: Equatable {
    /// This number of bytes was dropped, and there are no more for now.
    case bytes(Int)
    /// This number of bytes was dropped, and there can be more.
    case more(Int)
    /// The client has closed its direction.
    case end
    case broken
  }

  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Disables Nagle's algorithm, so that each event is sent immediately.
  func sendWithoutDelay() {
    var enabled: Int32 = 1
    _ = unsafe setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &enabled,
      socklen_t(MemoryLayout<Int32>.size))
  }

  /// Writes the next pending bytes, or as many of them as the socket has room for.
  func write(_ pending: OutboundBytes) -> Written {
    let count = unsafe pending.withNext { bytes in
      while true {
        let count = unsafe send(
          descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
        if count >= 0 || errno != EINTR { return count }
      }
    }
    if count >= 0 { return .bytes(count) }
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ? .full : .broken
  }

  /// Reads and drops up to 128 KiB of input.
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

  /// Whether the client has acknowledged nothing for `timeout` milliseconds, although bytes were
  /// sent.
  ///
  /// `false` for a client that does not read: its kernel acknowledges the probes of its zero
  /// window.
  func isAbandoned(for timeout: Int64) -> Bool {
    var info = tcp_info()
    var size = socklen_t(MemoryLayout<tcp_info>.size)
    let status = unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size)
    guard status == 0 else { return false }
    // One probe does not count: its acknowledgement can still arrive.
    let isPending = info.tcpi_unacked > 0 || info.tcpi_probes > 1
    return isPending && Int64(info.tcpi_last_ack_recv) >= timeout
  }

  /// Closes the writing direction.
  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  func close() { _ = Glibc.close(descriptor) }

  /// Adds the socket to a poller.
  func watch(in poller: borrowing Poller, token: UInt64) -> Bool {
    poller.add(descriptor, token: token)
  }
}
