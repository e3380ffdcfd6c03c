internal import Glibc

/// The address of a process for the others of its cluster: `HOST:PORT`.
package struct LinkAddress: Sendable, Equatable, CustomStringConvertible {
  /// An IPv4 or IPv6 literal without brackets, or a name.
  package let host: String

  /// The port; a listening socket with port 0 gets a free one.
  package let port: UInt16

  /// Creates an address from its parts.
  package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Reads `HOST:PORT`, with an IPv6 literal in brackets; returns `nil` for other text.
  package init?(_ text: String) {
    guard text.utf8.count <= 255, let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...]),
      text[text.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      guard host.contains(":") else { return nil }
    } else if host.contains(":") {
      return nil
    }
    let isHost = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"):
        true
      default: false
      }
    }
    guard isHost, !host.isEmpty else { return nil }
    (self.host, self.port) = (String(host), port)
  }

  /// The address as text that can be read again.
  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether the address stands for all addresses of the machine, and other machines cannot connect to it.
  package var isWildcard: Bool { host == "0.0.0.0" || Self.isUnspecified(host) }

  private static func isUnspecified(_ host: String) -> Bool {
    var address = in6_addr()
    guard unsafe inet_pton(AF_INET6, host, &address) == 1 else { return false }
    return unsafe withUnsafeBytes(of: address) { unsafe $0.allSatisfy { $0 == 0 } }
  }

  /// Finds the addresses of the host.
  ///
  /// - Parameter isLiteral: Whether the host must be a literal. Otherwise the call blocks on name servers.
  /// - Returns: The addresses in the order in which they are to be tried; none if there are none.
  func resolve(isLiteral: Bool) -> [LinkSocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = isLiteral ? AI_NUMERICHOST | AI_NUMERICSERV : AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, "\(port)", &hints, &found) == 0 else { return [] }
    defer { unsafe freeaddrinfo(found) }
    var addresses: [LinkSocketAddress] = []
    var next = unsafe found
    while let info = unsafe next {
      let bytes = unsafe UnsafeRawBufferPointer(
        start: info.pointee.ai_addr, count: Int(info.pointee.ai_addrlen))
      addresses.append(
        LinkSocketAddress(family: unsafe info.pointee.ai_family, bytes: unsafe Array(bytes)))
      unsafe next = info.pointee.ai_next
    }
    return addresses
  }
}

/// An address of the system.
struct LinkSocketAddress: Sendable {
  let family: Int32
  /// The bytes of the structure that system calls accept.
  let bytes: [UInt8]

  /// Passes the address to a system call.
  func pass(to call: (UnsafePointer<sockaddr>?, socklen_t) -> Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe call(
        bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}
