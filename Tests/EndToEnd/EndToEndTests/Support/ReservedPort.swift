import Glibc
import TestSupport

/// A port of the loopback address that the kernel assigns to no other socket while this object
/// exists.
///
/// It is for services that listen at the same address in sequence: between two services, the kernel
/// assigns the port neither to a connection nor to another service.
final class ReservedPort: Sendable {
  /// The value of `--listen`.
  let address: String
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    let (descriptor, port) = try LoopbackSocket.reserved()
    (self.descriptor, self.port) = (descriptor, port)
    address = "127.0.0.1:\(port)"
  }

  deinit { close(descriptor) }
}
