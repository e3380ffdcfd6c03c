internal import Glibc

/// An address to listen on, from a literal: no name is ever looked up.
struct SocketAddress: CustomStringConvertible {
  private enum Storage {
    case version4(sockaddr_in)
    case version6(sockaddr_in6)
  }
  private let storage: Storage

  /// `host:port`, IPv6 in brackets.
  let description: String

  /// Reads an IPv4 or IPv6 literal (brackets allowed) or `localhost`, which is 127.0.0.1.
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

  /// `AF_INET` or `AF_INET6`.
  var family: Int32 {
    switch storage {
    case .version4: AF_INET
    case .version6: AF_INET6
    }
  }

  /// Binds a socket to this address; false leaves the reason in `errno`.
  func bind(_ descriptor: Int32) -> Bool {
    switch storage {
    case .version4(var address): Self.bind(descriptor, &address)
    case .version6(var address): Self.bind(descriptor, &address)
    }
  }

  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    let size = socklen_t(MemoryLayout<Address>.size)
    return unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe Glibc.bind(descriptor, address, size) == 0
      }
    }
  }

  /// The port that a bound socket got.
  static func port(of descriptor: Int32) -> Int? {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let found = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getsockname(descriptor, address, &size) == 0
      }
    }
    // Family and port lie in the same places in both versions.
    return found ? Int(UInt16(bigEndian: address.sin6_port)) : nil
  }
}
