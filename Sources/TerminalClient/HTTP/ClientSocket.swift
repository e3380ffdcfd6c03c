internal import Glibc

/// A blocking connection to a server, closed on deinitialization.
final class ClientSocket {
  /// The reason a connection cannot be opened or used.
  struct Failure: Error, Equatable {
    let reason: String
  }

  private let descriptor: Int32
  private let address: ServerAddress
  private var buffer = [UInt8](repeating: 0, count: 16_384)

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - address: The address of the server.
  ///   - timeout: The time limit of each system call, in seconds.
  /// - Throws: A failure if no address of the host accepts a connection.
  init(to address: ServerAddress, timeout: Int) throws(Failure) {
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

  /// Sends all bytes.
  func send(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(reason: "\(address) does not accept the request") }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits for bytes; returns none if the server closed the connection.
  func receive() throws(Failure) -> ArraySlice<UInt8> {
    var count: Int
    repeat {
      count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw Failure(reason: "\(address) does not respond") }
    return buffer.prefix(count)
  }

  private static func connect(
    to path: String, _ timeout: Int, named address: ServerAddress
  ) throws(Failure) -> Int32 {
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
      throw Failure(reason: "\(address) does not accept connections")
    }
    return socket
  }

  private static func connect(
    to host: String, _ port: UInt16, _ timeout: Int, named address: ServerAddress
  ) throws(Failure) -> Int32 {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0 else {
      let reason = unsafe gai_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
      throw Failure(reason: "\(host): \(reason)")
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
        return socket
      }
      close(socket)
    }
    throw Failure(reason: "\(address) does not accept connections")
  }

  private static func limit(_ socket: Int32, _ timeout: Int) {
    var timeout = timeval(tv_sec: timeout, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(socket, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }
  }
}
