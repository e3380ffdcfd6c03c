internal import Glibc

/// The address that the server listens on: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`,
/// `unix:/run/reactord.sock`.
public enum ListenAddress: Sendable, Equatable {
  /// An IPv4 address, an IPv6 address without its brackets, or a host name, with a port; 0 takes a
  /// free one.
  case network(host: String, port: UInt16)

  /// The path of a Unix-domain socket.
  case unix(path: String)

  /// Makes an address of parts that are known to be good.
  public init(host: String, port: UInt16) {
    self = .network(host: host, port: port)
  }

  /// Reads `HOST:PORT`, where an IPv6 host stands in brackets, or `unix:PATH`.
  ///
  /// Returns `nil` for anything else: a missing host or port, a port above 65535, an address out
  /// of range, a host name with other characters than letters, digits, `-` and `.`, a path that is
  /// too long for the system.
  public init?(_ text: String) {
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

  /// What fits into a `sockaddr_un`, whose last byte is a zero.
  private static let pathLimit = 107

  private static func isIPv6(_ text: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET6, text, &address) == 1
  }

  private static func isIPv4OrName(_ text: Substring) -> Bool {
    guard !text.isEmpty, text.utf8.count <= 253 else { return false }
    // Digits and dots alone are meant as an address, so 127.0.0.256 is a mistake and no name.
    if text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) {
      var address = in_addr()
      return inet_pton(AF_INET, String(text), &address) == 1
    }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
      default: false
      }
    }
  }
}

extension ListenAddress: CustomStringConvertible {
  /// The form that `init(_:)` reads.
  public var description: String {
    switch self {
    case .network(let host, let port):
      host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): Self.scheme + path
    }
  }

  /// How the address is told to people: a URL, or the path of the socket.
  public var url: String {
    switch self {
    case .network: "http://\(self)"
    case .unix: description
    }
  }
}
