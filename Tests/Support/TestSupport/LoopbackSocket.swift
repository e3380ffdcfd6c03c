internal import Glibc

/// Sockets of the loopback address, which child processes do not inherit.
public enum LoopbackSocket {
  /// The error of a system call.
  public struct Failure: Error, CustomStringConvertible {
    /// The call and its error.
    public let description: String

    init(_ call: String) {
      description = "\(call): error \(errno)"
    }
  }

  /// A new socket.
  public static func make() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  /// Binds a socket to a port, or to a free one.
  ///
  /// - Returns: The port.
  @discardableResult
  public static func bind(_ descriptor: Int32, to port: UInt16 = 0) throws -> UInt16 {
    var port = port
    let status = withAddress(&port) { address, size in
      var size = size
      let status = Glibc.bind(descriptor, address, size)
      return status == 0 ? getsockname(descriptor, address, &size) : status
    }
    guard status == 0 else { throw Failure("bind") }
    return port
  }

  /// A socket that reserves a free port: it is bound and does not listen.
  ///
  /// While it is open, the kernel assigns the port to no other socket. A server that sets
  /// `SO_REUSEADDR` can listen at the port.
  public static func reserved() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = make()
    var reuse: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    return (descriptor, try bind(descriptor))
  }

  /// A socket that listens at a free port.
  public static func listening(backlog: Int32 = 128) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = make()
    let port = try bind(descriptor)
    guard listen(descriptor, backlog) == 0 else { throw Failure("listen") }
    return (descriptor, port)
  }

  /// Waits for a connection, or returns `nil` once the listening socket is shut down.
  public static func accept(from listener: Int32) -> Int32? {
    while true {
      let connection = Glibc.accept(listener, nil, nil)
      if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard connection >= 0 else { return nil }
      // A child process of another test that inherits the connection would keep it open.
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      return connection
    }
  }

  /// Connects a socket to a port.
  public static func connect(_ descriptor: Int32, to port: UInt16) throws {
    var port = port
    let status = withAddress(&port) { Glibc.connect(descriptor, $0, $1) }
    guard status == 0 else { throw Failure("connect") }
  }

  /// A socket that is connected to a port.
  public static func connected(to port: UInt16) throws -> Int32 {
    let descriptor = make()
    do {
      try connect(descriptor, to: port)
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// A socket that is connected to a Unix socket.
  public static func connected(toPath path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      close(descriptor)
      throw Failure("connect")
    }
    return descriptor
  }

  /// Sends all bytes; returns whether the connection was open until then.
  public static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func withAddress(
    _ port: inout UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    return status
  }
}

/// Two connected ends of a proxy, closed when both of its threads have ended.
public final class SocketPair: Sendable {
  private let ends: [Int32]

  /// Adopts two sockets.
  public init(_ first: Int32, _ second: Int32) {
    ends = [first, second]
  }

  /// Ends both connections.
  public func cut() {
    for end in ends { shutdown(end, Int32(SHUT_RDWR)) }
  }

  deinit {
    for end in ends { close(end) }
  }
}
