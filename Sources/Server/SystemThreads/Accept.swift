internal import CLinuxEvents
package import Glibc

/// Accepts a connection as a descriptor that never blocks and is closed on `exec`.
///
/// - Parameters:
///   - listening: The listening socket.
///   - address: Receives the peer's address.
///   - size: Receives the size of the address.
/// - Returns: The descriptor, or -1 with `errno`.
package func acceptConnection(
  from listening: Int32, address: inout sockaddr_storage, size: inout socklen_t
) -> Int32 {
  size = socklen_t(MemoryLayout<sockaddr_storage>.size)
  return unsafe withUnsafeMutablePointer(to: &address) { address in
    unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      unsafe accept4(
        listening, address, &size, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
    }
  }
}
