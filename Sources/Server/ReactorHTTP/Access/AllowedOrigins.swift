/// A set of web origins (RFC 6454), which can contain all subdomains of a host.
///
/// An app in a web view has an origin of another scheme, such as `capacitor://localhost`. A page in a sandbox,
/// or one that was opened from a file, has the origin `null`, which many pages share: it has to be named.
package struct AllowedOrigins: Equatable, Sendable {
  private static let isolated = "null"

  /// The origins as browsers write them.
  private var exact: Set<String> = []

  /// The parts of `https://*.example.com` before and after the asterisk.
  private var subdomains: [Affixes] = []

  private struct Affixes: Equatable, Sendable {
    var prefix: String
    var suffix: String

    func match(_ origin: String) -> Bool {
      guard origin.hasPrefix(prefix), origin.hasSuffix(suffix),
        origin.utf8.count > prefix.utf8.count + suffix.utf8.count
      else { return false }
      let labels = origin.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
      return labels.allSatisfy { AllowedOrigins.isHostByte($0) && $0 != UInt8(ascii: ":") }
    }
  }

  /// Creates an empty set.
  package init() {}

  /// Creates a set of origins in the forms of `add`.
  ///
  /// - Returns: `nil` if one of them has none of these forms.
  package init?(_ origins: some Sequence<some StringProtocol>) {
    for origin in origins where !add(String(origin)) { return nil }
  }

  /// Whether the set contains no origin.
  package var isEmpty: Bool { exact.isEmpty && subdomains.isEmpty }

  /// The origins in the order of their text.
  package var texts: [String] {
    (exact + subdomains.map { "\($0.prefix)*\($0.suffix)" }).sorted()
  }

  /// Whether the set contains an origin, as a browser writes it.
  package func contains(_ origin: String) -> Bool {
    exact.contains(origin) || subdomains.contains { $0.match(origin) }
  }

  /// Adds an origin: a scheme, a host and optionally a port; `null`; or `*.` before the host for all subdomains.
  ///
  /// Browsers write schemes, and hosts of `http` and `https`, in small letters, and leave out the port
  /// that the scheme has by default.
  ///
  /// - Returns: `false` if the text has none of these forms.
  private mutating func add(_ text: String) -> Bool {
    if text == Self.isolated || text == "file://" {
      exact.insert(text)
      return true
    }
    guard let separator = text.firstRange(of: "://") else { return false }
    let scheme = text[..<separator.lowerBound].lowercased()
    let isWeb = ["http", "https"].contains(scheme)
    var authority = String(text[separator.upperBound...])
    if isWeb { authority = authority.lowercased() }
    let isPattern = authority.hasPrefix("*.")
    if isPattern { authority.removeFirst(1) }
    guard Self.isScheme(scheme), Self.isAuthority(authority.utf8.dropFirst(isPattern ? 1 : 0))
    else { return false }
    let defaultPort = scheme == "https" ? ":443" : ":80"
    if isWeb, authority.hasSuffix(defaultPort) { authority.removeLast(defaultPort.count) }
    if isPattern {
      subdomains.append(Affixes(prefix: scheme + "://", suffix: authority))
    } else {
      exact.insert("\(scheme)://\(authority)")
    }
    return true
  }

  /// RFC 3986, 3.1.
  private static func isScheme(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy {
      isLetter($0) || isDigit($0) || "+-.".utf8.contains($0)
    }
  }

  private static func isAuthority(_ text: some Collection<UInt8>) -> Bool {
    guard let first = text.first, first != UInt8(ascii: ":") else { return false }
    return text.allSatisfy(isHostByte)
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || ".-_:[]".utf8.contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
