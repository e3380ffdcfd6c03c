internal import CLinuxEvents
internal import Glibc

/// A socket that listens as long as it lives.
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

  private let descriptor: Int32

  /// The port that is bound, also when 0 was asked for.
  let port: Int

  /// Binds and listens.
  ///
  /// Throws a `ServerError` whose message names the address.
  init(host: String, port: Int) throws(ServerError) {
    let address = try SocketAddress(host: host, port: port)
    let descriptor = socket(
      address.family,
      Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else {
      throw ServerError(.noResources, "The system gave no socket for \(address).")
    }
    do throws(ServerError) {
      Self.set(SOL_SOCKET, SO_REUSEADDR, on: descriptor)
      // Accepted sockets inherit it: answers and events are written whole, so that waiting for
      // more would only cost latency.
      Self.set(Int32(IPPROTO_TCP), TCP_NODELAY, on: descriptor)
      try Self.listen(on: descriptor, at: address)
      self.port = try Self.boundPort(of: descriptor, asked: port)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Takes the next connection.
  func accept() -> Arrival {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let accepted = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe accept4(
          descriptor, address, &size,
          Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
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
    poller.addListening(descriptor, token: token)
  }

  /// What a poller watches no more.
  func unwatch(in poller: borrowing Poller) { poller.remove(descriptor) }

  private static func listen(on descriptor: Int32, at address: SocketAddress) throws(ServerError) {
    guard address.bind(descriptor) else {
      switch errno {
      case EADDRINUSE:
        throw ServerError(.addressInUse, "The address \(address) is already in use.")
      case EACCES:
        throw ServerError(.cannotBind, "This user may not listen on \(address).")
      case EADDRNOTAVAIL:
        throw ServerError(.cannotBind, "This machine does not have the address \(address).")
      default:
        throw ServerError(.cannotBind, "Cannot listen on \(address).")
      }
    }
    // The system caps the backlog at what it allows (net.core.somaxconn).
    guard Glibc.listen(descriptor, 65_535) == 0 else {
      throw errno == EADDRINUSE
        ? ServerError(.addressInUse, "The address \(address) is already in use.")
        : ServerError(.cannotBind, "Cannot listen on \(address).")
    }
  }

  private static func set(_ level: Int32, _ option: Int32, on descriptor: Int32) {
    var enabled: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &enabled, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func boundPort(of descriptor: Int32, asked: Int) throws(ServerError) -> Int {
    guard asked == 0 else { return asked }
    guard let port = SocketAddress.port(of: descriptor) else {
      throw ServerError(.cannotBind, "The system does not tell the port that it bound.")
    }
    return port
  }
}
