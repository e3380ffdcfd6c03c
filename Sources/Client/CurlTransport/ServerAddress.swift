internal import Glibc

/// The address of a server, to listen on or to connect to: `127.0.0.1:8080`, `[::1]:8080`,
/// `localhost:0`, `unix:/run/reactord.sock`.
package enum ServerAddress: Sendable, Equatable {
  /// An IPv4 address, an IPv6 address without brackets, or a host name, with a port. Listening on
  /// port 0 selects a free port.
  case network(host: String, port: UInt16)

  /// The path of a Unix-domain socket.
  case unix(path: String)

  /// Creates a network address without checking the host.
  package init(host: String, port: UInt16) {
    self = .network(host: host, port: port)
  }

  /// Parses `HOST:PORT`, with brackets around an IPv6 host, or `unix:PATH`.
  ///
  /// Returns `nil` for anything else: a missing host or port, a port above 65535, an invalid IP address,
  /// a host name with characters other than letters, digits, `-` and `.`, or a path that exceeds the
  /// system's limit.
  package init?(_ text: String) {
    if text.hasPrefix(Self.scheme) {
      let path = text.dropFirst(Self.scheme.count)
      guard (1...Self.pathLimit).contains(path.utf8.count), !path.utf8.contains(0) else {
        return nil
      }
      self = .unix(path: String(path))
      return
    }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let host = text[..<colon]
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      return nil
    }
    if host.hasPrefix("[") && host.hasSuffix("]") {
      let inner = String(host.dropFirst().dropLast())
      guard Self.isIPv6(inner) else { return nil }
      self.init(host: inner, port: port)
    } else {
      guard Self.isIPv4OrName(host) else { return nil }
      self.init(host: String(host), port: port)
    }
  }

  private static let scheme = "unix:"

  /// The length of `sun_path` in `sockaddr_un`, without the terminating zero.
  private static let pathLimit = 107

  private static func isIPv6(_ text: String) -> Bool {
    var address = in6_addr()
    return unsafe inet_pton(AF_INET6, text, &address) == 1
  }

  private static func isIPv4OrName(_ text: Substring) -> Bool {
    guard !text.isEmpty, text.utf8.count <= 253 else { return false }
    // Digits and dots alone must be an IP address: 127.0.0.256 is an error, not a host name.
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) {
      var address = in_addr()
      return unsafe inet_pton(AF_INET, String(text), &address) == 1
    }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
      default: false
      }
    }
  }
}

extension ServerAddress: CustomStringConvertible {
  /// The form that `init(_:)` parses.
  package var description: String {
    switch self {
    case .network(let host, let port):
      host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): Self.scheme + path
    }
  }

  /// The address as a URL for messages, or the path of the socket.
  package var url: String {
    switch self {
    case .network: "http://\(self)"
    case .unix: description
    }
  }
}
