internal import Glibc

/// A connection that a client has opened and nobody serves yet.
///
/// Whoever serves it takes the descriptor over.
struct AcceptedSocket: ~Copyable {
  let descriptor: Int32
  private let address: sockaddr_storage
  private let size: socklen_t

  init(descriptor: Int32, address: sockaddr_storage, size: socklen_t) {
    self.descriptor = descriptor
    self.address = address
    self.size = size
  }

  /// Hands over the client's address.
  func withAddress<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
    unsafe withUnsafeBytes(of: address) { bytes in
      unsafe body(bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, size)
    }
  }
}
