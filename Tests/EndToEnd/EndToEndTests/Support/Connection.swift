import Glibc
import TestSupport

/// A connection to the service with read deadlines, so that a failure fails a test and does not hang it.
///
/// Confined to one thread.
final class Connection {
  static let timeout = Sanitizer.timeout

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var position = 0

  /// Connects to the service, at its loopback address or another one.
  ///
  /// With a small receive buffer, in bytes, a client that does not read blocks the service early. The connection's
  /// own address is `127.0.0.SOURCE` with a source.
  init(
    port: UInt16, at address: NetworkAddress? = nil, receiveBuffer: Int32? = nil,
    source: UInt8? = nil
  ) throws {
    descriptor = LoopbackSocket.make()
    if let source { try Self.bind(descriptor, to: source) }
    if var size = receiveBuffer {
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
    }
    var noDelay: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4)
    let isConnected =
      address?.connect(descriptor, to: port)
      ?? ((try? LoopbackSocket.connect(descriptor, to: port)) != nil)
    guard isConnected else {
      throw WireError.notConnected(errno: errno)
    }
  }

  deinit {
    close(descriptor)
  }

  private static func bind(_ descriptor: Int32, to source: UInt8) throws {
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_addr.s_addr = (0x7F00_0000 | UInt32(source)).bigEndian
    let status = withUnsafePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw WireError.notConnected(errno: errno) }
  }

  /// Closes the connection with a reset instead of a regular end.
  func abort() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout.size(ofValue: option)))
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Drops every received packet before TCP processes it, as if the machine had lost its network.
  func vanish() throws {
    // A classic BPF program that accepts no byte: `struct sock_filter` and `struct sock_fprog`.
    var instruction: UInt64 = 0x06
    let status = withUnsafeMutablePointer(to: &instruction) { instructions in
      var program = (count: UInt16(1), instructions: instructions)
      return setsockopt(
        descriptor, SOL_SOCKET, Self.attachFilter, &program,
        socklen_t(MemoryLayout.size(ofValue: program)))
    }
    guard status == 0 else { throw WireError.notConnected(errno: errno) }
  }

  /// `SO_ATTACH_FILTER`, which the Glibc module does not declare.
  private static let attachFilter: Int32 = 26

  /// Sends all bytes, within the timeout.
  func send(_ bytes: some Collection<UInt8>) throws {
    var rest = Array(bytes)[...]
    let deadline = ContinuousClock.now + Self.timeout
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        )
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        try wait(for: POLLOUT, until: deadline, "room to send")
      } else if errno != EINTR {
        throw WireError.closed(within: "a request")
      }
    }
  }

  func send(_ text: String) throws {
    try send(text.utf8)
  }

  /// Closes the sending direction; responses can still be read.
  func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  // MARK: Reading

  /// Reads up to the end of a line, without it, or returns `nil` if the peer has closed.
  func line(until deadline: ContinuousClock.Instant, _ purpose: String) throws -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n"), from: position) {
        var line = buffer[position..<end]
        position = end + 1
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        return String(decoding: line, as: UTF8.self)
      }
      guard try fill(until: deadline, purpose) else {
        guard position == buffer.count else { throw WireError.closed(within: purpose) }
        return nil
      }
    }
  }

  func bytes(
    _ count: Int, until deadline: ContinuousClock.Instant, _ purpose: String
  ) throws -> [UInt8] {
    while buffer.count - position < count {
      guard try fill(until: deadline, purpose) else { throw WireError.closed(within: purpose) }
    }
    defer { position += count }
    return Array(buffer[position..<(position + count)])
  }

  /// Returns the available bytes, or waits for the next ones, or `nil` if the peer has closed.
  func someBytes(until deadline: ContinuousClock.Instant, _ purpose: String) throws -> [UInt8]? {
    guard try position < buffer.count || fill(until: deadline, purpose) else { return nil }
    defer { position = buffer.count }
    return Array(buffer[position...])
  }

  private func fill(until deadline: ContinuousClock.Instant, _ purpose: String) throws -> Bool {
    if position == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      position = 0
    }
    while true {
      try wait(for: POLLIN, until: deadline, purpose)
      let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
        let count = recv(descriptor, space.baseAddress, space.count, 0)
        if count > 0 { buffer += space[..<count] }
        return count
      }
      if count < 0, errno == EINTR { continue }
      // A reset counts as the end of the connection.
      return count > 0
    }
  }

  private func wait(
    for event: Int32, until deadline: ContinuousClock.Instant, _ purpose: String
  ) throws {
    while true {
      var poll = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      let time = max(.zero, deadline - .now)
      let count = Glibc.poll(&poll, 1, Int32(time / .milliseconds(1)) + 1)
      if count > 0 { return }
      if count == 0, ContinuousClock.now >= deadline {
        throw WireError.timedOut(waitingFor: purpose)
      }
    }
  }
}

extension [UInt8] {
  /// Returns the index of the first occurrence of a byte at or after an index.
  ///
  /// In a debug build this is much faster than a search in a slice.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + start, Int32(byte), bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }
}
