internal import CLinuxEvents
internal import Glibc
internal import Synchronization

/// A socket that listens until it is closed.
///
/// It is ours and not libmicrohttpd's: that tells nobody why it could not listen, and accepts
/// without asking whether there is room.
final class ListeningSocket: Sendable {
  /// What came of accepting.
  enum Arrival: ~Copyable {
    case connection(AcceptedSocket)
    /// Nobody is waiting any more.
    case none
    /// Whoever was waiting has left.
    case gone
    /// The system has no descriptors or no memory left.
    case exhausted
  }

  /// Where it listens, with the port that it got.
  let endpoint: MicrohttpdServer.Endpoint

  /// Whether others listen on it, too, or will.
  let isInherited: Bool

  private let descriptor: Atomic<Int32>
  private let file: SocketFile?

  /// Binds and listens, or takes over what listens already.
  ///
  /// Throws a `ServerError` whose message names the address.
  init(_ endpoint: MicrohttpdServer.Endpoint) throws(ServerError) {
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
          // Nobody can connect yet, so that there is no moment with wider permissions.
          guard unsafe chmod(path, mode_t(mode)) == 0 else {
            throw ServerError(.cannotBind, "Cannot set the permissions of \(address).")
          }
        })
      file = SocketFile(path)
      isInherited = false
    case .inherited(let inherited):
      try Self.adopt(inherited)
      descriptor = Atomic(inherited)
      file = nil
      isInherited = true
    }
    let bound = SocketAddress.endpoint(of: descriptor.load(ordering: .relaxed))
    switch (endpoint, bound) {
    // As it was asked for, but with the port that was bound.
    case (.network(let host, 0), .network(_, let port)):
      self.endpoint = .network(host: host, port: port)
    case (.inherited, .some(let bound)): self.endpoint = bound
    default: self.endpoint = endpoint
    }
  }

  deinit { close() }

  /// Listens no more; nobody may be accepting.
  func close() {
    let descriptor = descriptor.exchange(-1, ordering: .relaxed)
    guard descriptor >= 0 else { return }
    file?.remove()
    Glibc.close(descriptor)
  }

  /// Takes the next connection.
  func accept() -> Arrival {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let listening = descriptor.load(ordering: .relaxed)
    let accepted = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe accept4(
          listening, address, &size, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      }
    }
    guard accepted < 0 else {
      return .connection(AcceptedSocket(descriptor: accepted, address: address, size: size))
    }
    switch errno {
    case EAGAIN, EWOULDBLOCK, EINVAL, EBADF: return .none
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
    default: return .gone  // Linux hands over what went wrong on the new connection.
    }
  }

  /// What a poller watches.
  func watch(in poller: borrowing Poller, token: UInt64) -> Bool {
    poller.addListening(descriptor.load(ordering: .relaxed), token: token)
  }

  /// What a poller watches no more.
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
      throw ServerError(.noResources, "The system gave no socket for \(address).")
    }
    do throws(ServerError) {
      if address.family != AF_UNIX {
        set(SOL_SOCKET, SO_REUSEADDR, on: descriptor)
        sendWithoutDelay(descriptor)
      }
      try bind(descriptor, address)
      try prepare(descriptor)
      // The system caps the backlog at what it allows (net.core.somaxconn).
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
        .badAddress, "The descriptor \(descriptor) that was handed over is no listening socket.")
    }
    if case .network = endpoint { sendWithoutDelay(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
  }

  private static func value(_ option: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : nil
  }

  /// Accepted sockets inherit it: answers and events are written whole, so that waiting for more
  /// would only cost latency.
  private static func sendWithoutDelay(_ descriptor: Int32) {
    set(Int32(IPPROTO_TCP), TCP_NODELAY, on: descriptor)
  }

  private static func set(_ level: Int32, _ option: Int32, on descriptor: Int32) {
    var enabled: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &enabled, socklen_t(MemoryLayout<Int32>.size))
  }
}
