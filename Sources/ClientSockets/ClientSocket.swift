internal import Glibc
internal import SystemThreads

/// A connected socket.
///
/// Deinitialization closes it, so that its descriptor is valid while any thread has a reference.
///
/// One thread sends and receives. While that thread is in ``wait(for:milliseconds:)``, any thread
/// can call ``write(_:)``. Any thread can call ``shutdown()`` at any time.
final class ClientSocket: Sendable {
  private let descriptor: Int32
  private let address: ServerAddress

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - address: The address of the server.
  ///   - timeout: The time limit of each attempt; a host name can have several addresses.
  /// - Throws: A failure if no address of the host accepts a connection.
  init(to address: ServerAddress, timeout: Duration) throws(ConnectionFailure) {
    self.address = address
    descriptor =
      switch address {
      case .network(let host, let port):
        try Self.connect(to: host, port, timeout, named: address)
      case .unix(let path): try Self.connect(to: path, timeout, named: address)
      }
  }

  deinit {
    close(descriptor)
  }

  /// Ends the connection; a thread that waits for bytes receives the end immediately.
  func shutdown() {
    Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Whether the server has neither closed the connection nor sent anything since the last response.
  var isIdle: Bool {
    var byte: UInt8 = 0
    let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
  }

  /// Sets the longest time that one call of ``send(_:)`` or ``receive(into:)`` waits.
  func limit(_ timeout: Duration) {
    Self.limit(descriptor, timeout)
  }

  /// Sends all bytes.
  ///
  /// - Throws: ``ConnectionFailure/Reason/closed`` if the server has closed the connection.
  func send(_ bytes: [UInt8]) throws(ConnectionFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let isTimeout = errno == EAGAIN || errno == EWOULDBLOCK
        throw ConnectionFailure(
          isTimeout ? .silent : .closed, "\(address) does not accept the request")
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Sends bytes without waiting.
  ///
  /// - Returns: Whether all were sent.
  func write(_ bytes: [UInt8]) -> Bool {
    var count: Int
    repeat {
      count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.send(
          descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
    } while count < 0 && errno == EINTR
    return count == bytes.count
  }

  /// Waits until there are bytes, a wake, or the end of the connection.
  ///
  /// - Parameters:
  ///   - waker: The waker, whose wakes are consumed.
  ///   - milliseconds: The longest time to wait.
  /// - Returns: Whether there are bytes, or the server has closed the connection.
  func wait(for waker: Waker, milliseconds: Int64) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { watched in
      unsafe watched[0] = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      unsafe watched[1] = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(watched.baseAddress, 2, Int32(clamping: milliseconds)) > 0 else {
        return false
      }
      if unsafe watched[1].revents != 0 { waker.clear() }
      return unsafe watched[0].revents != 0
    }
  }

  /// Waits for bytes.
  ///
  /// - Parameter buffer: Receives the bytes.
  /// - Returns: The number of bytes; 0 if the server has closed the connection.
  /// - Throws: A failure if no byte arrives within the time of ``limit(_:)``, or if the connection
  ///   was reset.
  func receive(into buffer: inout [UInt8]) throws(ConnectionFailure) -> Int {
    var count: Int
    repeat {
      count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    } while count < 0 && errno == EINTR
    guard count < 0 else { return count }
    let isTimeout = errno == EAGAIN || errno == EWOULDBLOCK
    throw ConnectionFailure(
      isTimeout ? .silent : .closed,
      isTimeout ? "\(address) does not respond" : "\(address) has reset the connection")
  }
}

extension ClientSocket {
  private static func connect(
    to path: String, _ timeout: Duration, named address: ServerAddress
  ) throws(ConnectionFailure) -> Int32 {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    // `ServerAddress` bounds the length of the path.
    unsafe withUnsafeMutableBytes(of: &name.sun_path) {
      unsafe $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    limit(socket, timeout)
    let status = unsafe withUnsafePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      close(socket)
      throw ConnectionFailure(.unavailable, "\(address) does not accept connections")
    }
    return socket
  }

  private static func connect(
    to host: String, _ port: UInt16, _ timeout: Duration, named address: ServerAddress
  ) throws(ConnectionFailure) -> Int32 {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0 else {
      let reason = unsafe gai_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
      throw ConnectionFailure(.unavailable, "\(host): \(reason)")
    }
    defer { unsafe freeaddrinfo(list) }
    var candidate = unsafe list
    while let information = unsafe candidate?.pointee {
      unsafe candidate = unsafe information.ai_next
      let socket = unsafe socket(
        information.ai_family, information.ai_socktype | Int32(SOCK_CLOEXEC.rawValue),
        information.ai_protocol)
      guard socket >= 0 else { continue }
      limit(socket, timeout)
      if unsafe Glibc.connect(socket, information.ai_addr, information.ai_addrlen) == 0 {
        // Disable Nagle's algorithm: the last segment of a large body must not wait for an
        // acknowledgement.
        var isEnabled: Int32 = 1
        unsafe setsockopt(
          socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isEnabled, socklen_t(MemoryLayout<Int32>.size))
        return socket
      }
      close(socket)
    }
    throw ConnectionFailure(.unavailable, "\(address) does not accept connections")
  }

  private static func limit(_ socket: Int32, _ timeout: Duration) {
    // A timeout of zero would disable the timeout.
    let time = max(timeout, .milliseconds(1))
    var value = timeval(
      tv_sec: Int(time.components.seconds),
      tv_usec: Int(time.components.attoseconds / 1_000_000_000_000))
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(socket, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<timeval>.size))
    }
  }
}
