internal import Glibc
internal import Synchronization
internal import SystemThreads

/// A listening socket.
///
/// It replaces the listening socket of libmicrohttpd, which reports no reason when it cannot
/// listen, and accepts connections without checking the limits.
package final class ListeningSocket: Sendable {
  /// The result of accepting a connection.
  enum Arrival: ~Copyable {
    case connection(AcceptedSocket)
    /// No connection is waiting.
    case none
    /// The connection was closed before it was accepted.
    case gone
    /// The system has no descriptors or no memory left.
    case exhausted
  }

  /// The address, with the port that the system assigned.
  package let endpoint: MicrohttpdServer.Endpoint

  /// Whether another process also listens on the socket, now or later.
  let isInherited: Bool

  private let descriptor: Atomic<Int32>
  private let file: SocketFile?

  /// Binds and listens, or adopts an inherited socket.
  ///
  /// - Throws: A `ServerError` whose message names the address.
  package init(_ endpoint: MicrohttpdServer.Endpoint) throws(ServerError) {
    switch endpoint {
    case .network(let host, let port):
      let address = try SocketAddress(host: host, port: port)
      descriptor = Atomic(try Self.listen(at: address) { _ in })
      file = nil
      isInherited = false
    case .unix(let path, let mode):
      let address = try SocketAddress(path: path)
      try SocketFile.removeStale(path, address)
      descriptor = Atomic(
        try Self.listen(at: address) { _ throws(ServerError) in
          // Set the permissions before `listen`, so that no client can connect with wider ones.
          guard unsafe chmod(path, mode_t(mode)) == 0 else {
            throw ServerError(.cannotBind, "Cannot set the permissions of \(address).")
          }
        })
      file = SocketFile(path)
      isInherited = false
    case .inherited(let inherited, let isRetained):
      try Self.adopt(inherited)
      descriptor = Atomic(inherited)
      file = nil
      isInherited = isRetained
    }
    let bound = SocketAddress.endpoint(of: descriptor.load(ordering: .relaxed))
    switch (endpoint, bound) {
    // The requested host, with the port that the system assigned.
    case (.network(let host, 0), .network(_, let port)):
      self.endpoint = .network(host: host, port: port)
    case (.inherited, .some(let bound)): self.endpoint = bound
    default: self.endpoint = endpoint
    }
  }

  deinit { close() }

  /// The descriptor, to pass it to another process; -1 once it is closed.
  package var rawDescriptor: Int32 { descriptor.load(ordering: .relaxed) }

  /// Closes the socket; no thread may be accepting.
  package func close() {
    let descriptor = descriptor.exchange(-1, ordering: .relaxed)
    guard descriptor >= 0 else { return }
    file?.remove()
    Glibc.close(descriptor)
  }

  /// Accepts the next connection.
  func accept() -> Arrival {
    var address = sockaddr_storage()
    var size: socklen_t = 0
    let accepted = acceptConnection(
      from: descriptor.load(ordering: .relaxed), address: &address, size: &size)
    guard accepted < 0 else {
      return .connection(AcceptedSocket(descriptor: accepted, address: address, size: size))
    }
    switch errno {
    case EAGAIN, EWOULDBLOCK, EINVAL, EBADF: return .none
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
    default: return .gone  // Linux also reports network errors of the new connection.
    }
  }

  /// Adds the socket to a poller.
  func watch(in poller: borrowing Poller, token: UInt64) -> Bool {
    poller.addListening(descriptor.load(ordering: .relaxed), token: token)
  }

  /// Removes the socket from a poller.
  func unwatch(in poller: borrowing Poller) {
    poller.remove(descriptor.load(ordering: .relaxed))
  }

  private static func listen(
    at address: SocketAddress, prepare: (Int32) throws(ServerError) -> Void
  ) throws(ServerError) -> Int32 {
    let descriptor = socket(
      address.family,
      Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else {
      throw ServerError(.noResources, "No socket is available for \(address).")
    }
    do throws(ServerError) {
      if address.family != AF_UNIX {
        set(SOL_SOCKET, SO_REUSEADDR, on: descriptor)
        setInheritedOptions(descriptor)
      }
      try bind(descriptor, address)
      try prepare(descriptor)
      // The system caps the backlog at net.core.somaxconn.
      guard Glibc.listen(descriptor, 65_535) == 0 else {
        throw errno == EADDRINUSE
          ? ServerError(.addressInUse, "The address \(address) is already in use.")
          : ServerError(.cannotBind, "Cannot listen on \(address).")
      }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func bind(_ descriptor: Int32, _ address: SocketAddress) throws(ServerError) {
    guard !address.bind(descriptor) else { return }
    switch errno {
    case EADDRINUSE:
      throw ServerError(.addressInUse, "The address \(address) is already in use.")
    case EACCES, EPERM:
      throw ServerError(.cannotBind, "This user may not listen on \(address).")
    case EADDRNOTAVAIL:
      throw ServerError(.cannotBind, "This machine does not have the address \(address).")
    case ENOENT, ENOTDIR:
      throw ServerError(.cannotBind, "The folder of \(address) does not exist.")
    default:
      throw ServerError(.cannotBind, "Cannot listen on \(address).")
    }
  }

  private static func adopt(_ descriptor: Int32) throws(ServerError) {
    guard value(SO_ACCEPTCONN, of: descriptor) == 1,
      value(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue),
      let endpoint = SocketAddress.endpoint(of: descriptor)
    else {
      throw ServerError(
        .badAddress, "The inherited descriptor \(descriptor) is not a listening socket.")
    }
    if case .network = endpoint { setInheritedOptions(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
  }

  private static func value(_ option: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
  }

  /// The number of bytes that the kernel accepts for a connection before it can send them.
  static let unsentLimit: Int32 = 262_144

  /// Sets options that accepted sockets inherit.
  ///
  /// With `TCP_NODELAY`, bytes are sent immediately: responses and events are written whole, so that
  /// waiting for more bytes only adds latency. With `TCP_NOTSENT_LOWAT`, the socket of a client that
  /// does not read is full after ``unsentLimit`` bytes instead of 4 MB, while the buffer for bytes that
  /// were sent grows with the connection as before.
  private static func setInheritedOptions(_ descriptor: Int32) {
    set(Int32(IPPROTO_TCP), TCP_NODELAY, on: descriptor)
    set(Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, to: unsentLimit, on: descriptor)
  }

  private static func set(
    _ level: Int32, _ option: Int32, to value: Int32 = 1, on descriptor: Int32
  ) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
