internal import Glibc
internal import ReactorTransport

/// An accepted connection that is not served yet.
///
/// It does not close its descriptor: libmicrohttpd or a stream loop becomes the owner.
struct AcceptedSocket: ~Copyable {
  let descriptor: Int32
  private let address: sockaddr_storage
  private let size: socklen_t

  init(descriptor: Int32, address: sockaddr_storage, size: socklen_t) {
    self.descriptor = descriptor
    self.address = address
    self.size = size
  }

  /// The client's address, or `nil` on a Unix-domain socket.
  var peer: ClientAddress? {
    unsafe withUnsafeBytes(of: address) { bytes in
      switch Int32(address.ss_family) {
      case AF_INET:
        let address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
        return ClientAddress(version4: UInt32(bigEndian: address.sin_addr.s_addr))
      case AF_INET6:
        let address = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
        return unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe ClientAddress(version6: $0) }
      default: return nil
      }
    }
  }

  /// Calls a function with the client's address in the system's format.
  func withAddress<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
    unsafe withUnsafeBytes(of: address) { bytes in
      unsafe body(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, size)
    }
  }
}
