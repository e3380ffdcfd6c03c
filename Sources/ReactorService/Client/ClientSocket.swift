internal import Glibc

/// A connection to a daemon, which blocks; it is closed with its owner.
final class ClientSocket {
  /// Why there is no connection, or none any more.
  struct Failure: Error, Equatable {
    let reason: String
  }

  private let descriptor: Int32
  private let address: ListenAddress
  private var buffer = [UInt8](repeating: 0, count: 16_384)

  /// Connects.
  ///
  /// - Parameters:
  ///   - address: Whom to.
  ///   - patience: How long each system call may take, in seconds.
  /// - Throws: Why there is none.
  init(to address: ListenAddress, patience: Int) throws(Failure) {
    self.address = address
    descriptor = try Self.connect(to: address, patience: patience)
  }

  deinit {
    close(descriptor)
  }

  /// Sends all of it.
  func send(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(reason: "\(address) does not take a request") }
      rest = rest.dropFirst(count)
    }
  }

  /// What has come; empty when the other side has closed.
  func receive() throws(Failure) -> ArraySlice<UInt8> {
    var count: Int
    repeat {
      count = recv(descriptor, &buffer, buffer.count, 0)
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw Failure(reason: "\(address) does not answer") }
    return buffer.prefix(count)
  }

  private static func connect(
    to address: ListenAddress, patience: Int
  ) throws(Failure) -> Int32 {
    switch address {
    case .network(let host, let port): try connect(to: host, port, patience, named: address)
    case .unix(let path): try connect(to: path, patience, named: address)
    }
  }

  private static func connect(
    to path: String, _ patience: Int, named address: ListenAddress
  ) throws(Failure) -> Int32 {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    // The address was read as one, so that the path fits.
    withUnsafeMutableBytes(of: &name.sun_path) {
      $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    limit(socket, patience)
    let status = withUnsafePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      close(socket)
      throw Failure(reason: "\(address) does not accept connections")
    }
    return socket
  }

  private static func connect(
    to host: String, _ port: UInt16, _ patience: Int, named address: ListenAddress
  ) throws(Failure) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0 else {
      let reason = gai_strerror(code).map { String(cString: $0) } ?? "error \(code)"
      throw Failure(reason: "\(host): \(reason)")
    }
    defer { freeaddrinfo(list) }
    var candidate = list
    while let information = candidate?.pointee {
      candidate = information.ai_next
      let socket = socket(
        information.ai_family, information.ai_socktype | Int32(SOCK_CLOEXEC.rawValue),
        information.ai_protocol)
      guard socket >= 0 else { continue }
      limit(socket, patience)
      if Glibc.connect(socket, information.ai_addr, information.ai_addrlen) == 0 { return socket }
      close(socket)
    }
    throw Failure(reason: "\(address) does not accept connections")
  }

  private static func limit(_ socket: Int32, _ patience: Int) {
    var timeout = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }
  }
}
