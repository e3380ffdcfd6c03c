import Glibc
import TestSupport

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
    descriptor = LoopbackSocket.make()
    var reuse: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
    address = "127.0.0.1:\(try LoopbackSocket.bind(descriptor))"
  }

  deinit { close(descriptor) }
}
