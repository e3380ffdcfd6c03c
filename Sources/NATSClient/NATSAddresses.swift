/// The addresses of the brokers: `nats://[USER[:PASSWORD]@]HOST[:PORT][,...]`.
///
/// A single name before `@` is a token. Further addresses may omit the scheme.
public struct NATSAddresses: Equatable, Sendable {
  /// One address per broker, each with its scheme.
  public let urls: [String]

  /// Whether an address requires TLS.
  public var requiresTLS: Bool { urls.contains { $0.hasPrefix("tls://") } }

  /// Parses addresses, or returns `nil` for any other text.
  public init?(_ text: String) {
    // Addresses are ASCII; comparing other texts takes quadratic time for many combining marks.
    guard text.utf8.allSatisfy({ $0 < 0x80 }),
      text.hasPrefix("nats://") || text.hasPrefix("tls://")
    else { return nil }
    var urls: [String] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let part = part.drop { $0 == " " }
      let url = part.contains("://") ? String(part) : "nats://\(part)"
      guard Self.isAddress(url) else { return nil }
      urls.append(url)
    }
    self.urls = urls
  }

  /// The host and the port (by default 4222) of one address, or `nil` if the address is invalid.
  public static func hostAndPort(of url: String) -> (host: String, port: UInt16)? {
    guard let scheme = ["nats://", "tls://"].first(where: { url.hasPrefix($0) }) else { return nil }
    var rest = url.dropFirst(scheme.count)
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    let host: Substring
    var port = Substring("4222")
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      host = rest[rest.index(after: rest.startIndex)..<end]
      let suffix = rest[rest.index(after: end)...]
      guard suffix.isEmpty || suffix.hasPrefix(":") else { return nil }
      if !suffix.isEmpty { port = suffix.dropFirst() }
    } else if let colon = rest.lastIndex(of: ":") {
      host = rest[..<colon]
      port = rest[rest.index(after: colon)...]
    } else {
      host = rest
    }
    let isClean = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
    guard !host.isEmpty, isClean, let number = UInt16(port), number > 0 else { return nil }
    return (String(host), number)
  }

  private static func isAddress(_ url: String) -> Bool {
    hostAndPort(of: url) != nil && url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }
}

extension NATSAddresses: CustomStringConvertible {
  /// The addresses without credentials, for log lines.
  public var description: String {
    urls.map { url in
      guard let at = url.lastIndex(of: "@"), let scheme = url.firstRange(of: "://") else {
        return url
      }
      return url[..<scheme.upperBound] + "***@" + url[url.index(after: at)...]
    }.joined(separator: ",")
  }
}
