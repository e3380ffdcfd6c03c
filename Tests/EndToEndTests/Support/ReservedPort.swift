import Glibc

/// A port of the loopback address that the kernel assigns to no other socket while this object exists.
///
/// For services that listen at one address, one after the other. The socket is bound and does not
/// listen: a service, which sets `SO_REUSEADDR` as well, can listen at the port, and a connection or
/// another service never gets it between the two.
final class ReservedPort: Sendable {
  /// The value of `--listen`.
  let address: String
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var reuse: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) + getsockname(descriptor, $0, &size)
      }
    }
    guard failed == 0 else { throw WireError.notConnected(errno: errno) }
    address = "127.0.0.1:\(UInt16(bigEndian: name.sin_port))"
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
