internal import Glibc

/// An address to listen on, from a literal or a path; names are not resolved.
struct SocketAddress: CustomStringConvertible {
  private enum Storage {
    case version4(sockaddr_in)
    case version6(sockaddr_in6)
    case unix(sockaddr_un)
  }
  private let storage: Storage

  /// `host:port`, IPv6 in brackets, or `unix:path`.
  let description: String

  /// Parses an IPv4 or IPv6 literal (brackets allowed) or `localhost`, which is 127.0.0.1.
  init(host: String, port: Int) throws(ServerError) {
    guard let port = UInt16(exactly: port) else {
      throw ServerError(.badAddress, "The port \(port) is not between 0 and 65535.")
    }
    var literal = host == "localhost" ? "127.0.0.1" : host
    if literal.hasPrefix("["), literal.hasSuffix("]") {
      literal = String(literal.dropFirst().dropLast())
    }
    var version4 = sockaddr_in()
    var version6 = sockaddr_in6()
    if unsafe inet_pton(AF_INET, literal, &version4.sin_addr) == 1 {
      version4.sin_family = sa_family_t(AF_INET)
      version4.sin_port = port.bigEndian
      storage = .version4(version4)
      description = "\(host):\(port)"
    } else if unsafe inet_pton(AF_INET6, literal, &version6.sin6_addr) == 1 {
      version6.sin6_family = sa_family_t(AF_INET6)
      version6.sin6_port = port.bigEndian
      storage = .version6(version6)
      description = "[\(literal)]:\(port)"
    } else {
      throw ServerError(
        .badAddress,
        "The host \"\(host)\" is neither an IPv4 or IPv6 address nor \"localhost\".")
    }
  }

  /// Creates the address of a Unix-domain socket from its path.
  init(path: String) throws(ServerError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard (1...capacity).contains(path.utf8.count), !path.utf8.contains(0) else {
      throw ServerError(
        .badAddress, "The path of a socket has 1 to \(capacity) bytes, other than \"\(path)\".")
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    storage = .unix(address)
    description = "unix:\(path)"
  }

  /// `AF_INET`, `AF_INET6` or `AF_UNIX`.
  var family: Int32 {
    switch storage {
    case .version4: AF_INET
    case .version6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// Binds a socket to this address; on failure it returns `false`, and `errno` is the reason.
  func bind(_ descriptor: Int32) -> Bool {
    unsafe withAddress { address, size in unsafe Glibc.bind(descriptor, address, size) == 0 }
  }

  /// Connects a socket to this address; on failure it returns `false`, and `errno` is the reason.
  func connect(_ descriptor: Int32) -> Bool {
    unsafe withAddress { address, size in unsafe Glibc.connect(descriptor, address, size) == 0 }
  }

  private func withAddress(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Bool) -> Bool {
    switch storage {
    case .version4(let address): unsafe Self.withBytes(of: address, body)
    case .version6(let address): unsafe Self.withBytes(of: address, body)
    case .unix(let address): unsafe Self.withBytes(of: address, body)
    }
  }

  private static func withBytes<Address>(
    of address: Address, _ body: (UnsafePointer<sockaddr>?, socklen_t) -> Bool
  ) -> Bool {
    unsafe withUnsafeBytes(of: address) { bytes in
      unsafe body(
        bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
  }

  /// The endpoint of a listening socket, with its actual port, or `nil` for an unsupported address
  /// family.
  static func endpoint(of descriptor: Int32) -> MicrohttpdServer.Endpoint? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let found = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getsockname(descriptor, address, &size) == 0
      }
    }
    guard found else { return nil }
    return unsafe withUnsafeBytes(of: address) { bytes in
      unsafe endpoint(bytes, Int32(address.ss_family), size: Int(size))
    }
  }

  private static func endpoint(
    _ bytes: UnsafeRawBufferPointer, _ family: Int32, size: Int
  ) -> MicrohttpdServer.Endpoint? {
    switch family {
    case AF_INET:
      var address = unsafe bytes.loadUnaligned(as: sockaddr_in.self)
      guard let host = unsafe text(of: &address.sin_addr, family) else { return nil }
      return .network(host: host, port: Int(UInt16(bigEndian: address.sin_port)))
    case AF_INET6:
      var address = unsafe bytes.loadUnaligned(as: sockaddr_in6.self)
      guard let host = unsafe text(of: &address.sin6_addr, family) else { return nil }
      return .network(host: host, port: Int(UInt16(bigEndian: address.sin6_port)))
    case AF_UNIX:
      let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
      let path = unsafe bytes[start..<max(start, min(size, MemoryLayout<sockaddr_un>.size))]
      return unsafe .unix(path: String(decoding: path.prefix { $0 != 0 }, as: UTF8.self), mode: 0)
    default: return nil
    }
  }

  private static func text(of address: UnsafeRawPointer, _ family: Int32) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      guard
        unsafe inet_ntop(family, address, text.baseAddress, socklen_t(text.count)) != nil,
        let start = text.baseAddress
      else { return nil }
      return unsafe String(cString: start)
    }
  }
}
