import Glibc
import TestSupport

/// A port of the loopback address that the kernel assigns to no other socket while this object
/// exists.
///
/// It is for services that listen at the same address in sequence. The socket is bound and does not
/// listen, so a service can listen at the port, because it sets `SO_REUSEADDR` as well. Between two
/// services, the kernel assigns the port neither to a connection nor to another service.
final class ReservedPort: Sendable {
  /// The value of `--listen`.
  let address: String
  private let descriptor: Int32

  init() throws {
    descriptor = LoopbackSocket.make()
    var reuse: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    address = "127.0.0.1:\(try LoopbackSocket.bind(descriptor))"
  }

  deinit { close(descriptor) }
}
