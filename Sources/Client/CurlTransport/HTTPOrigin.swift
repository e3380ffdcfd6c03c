/// A server behind an address.
package struct HTTPOrigin: Equatable, Sendable {
  /// The address to connect to.
  package let address: ServerAddress

  /// Whether the connection is encrypted: `https`.
  package let isSecure: Bool

  /// The path prefix of a proxy, without a slash at its end; empty for none.
  package let prefix: String

  /// Whether the connection follows `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` of the
  /// environment.
  let usesProxies: Bool

  /// Creates an origin.
  ///
  /// - Parameters:
  ///   - address: The address to connect to.
  ///   - isSecure: Whether the connection is encrypted.
  ///   - prefix: The path prefix of a proxy; empty for none.
  ///   - usesProxies: Whether the connection follows the proxies of the environment. No connection to a
  ///     loopback address or to a Unix-domain socket does.
  package init(
    _ address: ServerAddress, isSecure: Bool = false, prefix: String = "", usesProxies: Bool = true
  ) {
    self.address = address
    self.isSecure = isSecure
    self.prefix = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    self.usesProxies = usesProxies && !address.isLocal
  }

  /// The URL of a path, which has no leading slash.
  func url(_ path: String) -> String {
    let host = if case .network = address { "\(address)" } else { "localhost" }
    return "\(isSecure ? "https" : "http")://\(host)\(prefix)/\(path)"
  }
}

extension ServerAddress {
  /// Whether the address is one of this machine for certain: a loopback address or a socket path.
  fileprivate var isLocal: Bool {
    guard case .network(let host, _) = self else { return true }
    return host == "::1" || host.lowercased() == "localhost"
      || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < 0x3A }
  }
}
