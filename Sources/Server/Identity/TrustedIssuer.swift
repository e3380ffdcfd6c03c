internal import ReactorCore

/// A provider whose tokens the service accepts: an element of `auth.issuers`.
package struct TrustedIssuer: JSONListElement, Equatable {
  /// The value of `iss`, and the URL below which the provider publishes its configuration.
  package let issuer: String

  /// `aud` must contain one of these values; empty for any.
  package let audience: [String]

  /// The text before `|` in the `sub` of its principals when there are several issuers; empty for none.
  package let name: String

  /// The URL of the key set, or `nil` if the configuration that the provider publishes has it.
  package let keys: ProviderURL?

  /// The URL of the issuer.
  package let url: ProviderURL

  /// The maximum number of issuers.
  package static let limit = 16

  /// Reads the value of the setting `auth.issuers`: an array of objects with `issuer` and `audience`, and optionally
  /// `name` and `keys`.
  ///
  /// - Parameter json: The array as JSON.
  /// - Returns: The issuers in the order of the array.
  /// - Throws: The first issuer that is malformed, or that has the URL or the name of another one.
  package static func list(of json: [UInt8]) throws(ListSyntaxError) -> [TrustedIssuer] {
    guard let values = StrictObject.array(in: json), values.count <= limit else {
      throw ListSyntaxError(
        description: "expected an array of at most \(limit) objects without repeated members")
    }
    var issuers: [TrustedIssuer] = []
    for (index, value) in values.enumerated() {
      guard case .object(let members) = value else {
        throw ListSyntaxError(description: "issuer \(index): expected an object")
      }
      let issuer: TrustedIssuer
      do throws(ListSyntaxError) {
        issuer = try TrustedIssuer(members)
      } catch {
        throw ListSyntaxError(description: "issuer \(index): \(error.description)")
      }
      func isEqual(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
      guard
        !issuers.contains(where: {
          isEqual($0.issuer, issuer.issuer) || isEqual($0.name, issuer.name)
        })
      else {
        throw ListSyntaxError(description: "issuer \(index): another one has its URL or its name")
      }
      issuers.append(issuer)
    }
    return issuers
  }

  private init(_ members: Claims) throws(ListSyntaxError) {
    let names = ["issuer", "audience", "name", "keys"]
    if let unknown = members.names.first(where: { !names.contains($0) }) {
      throw ListSyntaxError(
        description: "\(unknown.debugDescription) is unknown; use \(names.joined(separator: ", "))")
    }
    guard let issuer = members.string("issuer"), let url = ProviderURL(issuer), url.query.isEmpty
    else {
      throw ListSyntaxError(description: #"expected "issuer" to be \#(ProviderURL.expected)"#)
    }
    audience = try Self.audience(members)
    keys = try Self.keys(members)
    (self.issuer, self.url) = (issuer, url)
    switch members["name"] {
    case nil: name = url.authority + (url.path == "/" ? "" : url.path)
    case .string(let text)? where Self.isName(text): name = text
    default:
      throw ListSyntaxError(
        description: #"expected "name" to be at most 64 letters, digits, ".", "_" and "-""#)
    }
  }

  private static func audience(_ members: Claims) throws(ListSyntaxError) -> [String] {
    let texts = members.strings("audience")
    let count = if case .array(let values)? = members["audience"] { values.count } else { 1 }
    guard texts.count == count, !texts.contains("") else {
      throw ListSyntaxError(
        description:
          #"expected "audience" to be what a token must be for, or an array; [] accepts any"#)
    }
    return texts
  }

  private static func keys(_ members: Claims) throws(ListSyntaxError) -> ProviderURL? {
    guard let value = members["keys"] else { return nil }
    guard case .string(let text) = value, let url = ProviderURL(text) else {
      throw ListSyntaxError(description: #"expected "keys" to be \#(ProviderURL.expected)"#)
    }
    return url
  }

  private static func isName(_ text: String) -> Bool {
    text.utf8.count <= 64
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// The URL of the configuration that the provider publishes (OpenID Connect Discovery 1.0, 4).
  package var configuration: ProviderURL? {
    ProviderURL(
      (issuer.utf8.last == UInt8(ascii: "/") ? String(issuer.dropLast()) : issuer)
        + "/.well-known/openid-configuration")
  }
}

/// The URL of a provider: `https`, or `http` of this machine.
package struct ProviderURL: Sendable, Equatable, CustomStringConvertible {
  /// Whether the connection is encrypted.
  package let isSecure: Bool

  /// The host and, unless it is the one of the scheme, the port.
  package let authority: String

  /// The path, which begins with a slash.
  package let path: String

  /// The query with its question mark; empty for none.
  package let query: String

  /// The form, for error messages.
  package static let expected =
    "an https:// URL without fragment and user, or an http:// URL of this machine"

  /// The maximum length in bytes.
  static let sizeLimit = 1024

  /// Parses a URL, or returns `nil` for any other text.
  package init?(_ text: String) {
    isSecure = text.hasPrefix("https://")
    guard isSecure || text.hasPrefix("http://"), text.utf8.count <= Self.sizeLimit,
      // Visible ASCII without what a URL has in percent-encoding only (RFC 3986, 2).
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"#<>\\^`{|}".utf8.contains($0) })
    else { return nil }
    let rest = text.dropFirst(isSecure ? 8 : 7)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    authority = rest[..<end].lowercased()
    guard !authority.isEmpty, !authority.contains("@") else { return nil }
    let target = rest[end...]
    let question = target.firstIndex(of: "?") ?? target.endIndex
    path = target[..<question].isEmpty ? "/" : String(target[..<question])
    query = String(target[question...])
    guard isSecure || Self.isLocal(authority) else { return nil }
  }

  /// The URL of a reference in the field `Location` of this URL's response, or `nil` for one with another scheme or
  /// authority.
  package func redirected(to location: String) -> ProviderURL? {
    let absolute =
      location.hasPrefix("/") && !location.hasPrefix("//") ? origin + location : location
    guard let url = ProviderURL(absolute), url.isSecure == isSecure,
      url.authority.utf8.elementsEqual(authority.utf8)
    else { return nil }
    return url
  }

  private var origin: String { (isSecure ? "https://" : "http://") + authority }

  /// The URL.
  package var description: String { origin + path + query }

  private static func isLocal(_ authority: String) -> Bool {
    if authority.hasPrefix("[::1]") { return authority.dropFirst(5).isPort }
    let host = authority.prefix { $0 != ":" }
    return authority.dropFirst(host.count).isPort
      && (host == "localhost" || host == "127.0.0.1")
  }
}

extension Substring {
  /// Whether the text is empty or a colon with digits.
  fileprivate var isPort: Bool {
    isEmpty || hasPrefix(":") && dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
