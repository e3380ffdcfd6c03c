internal import ClientCore

/// The URL of a server: `http://HOST[:PORT][/PATH]`, or the same with `https`.
struct ServerURL: Equatable, Sendable {
  /// The address to connect to; the port is 80, or 443 with `https`, if the URL has none.
  let address: ServerAddress

  /// Whether the URL is `https`.
  let isSecure: Bool

  /// The path with its query; empty if the URL has none.
  let path: String

  /// Parses a URL, or returns `nil` for anything else, and for a path that is invalid in a request line.
  init?(_ text: String) {
    isSecure = text.hasPrefix("https://")
    guard isSecure || text.hasPrefix("http://") else { return nil }
    let rest = text.dropFirst(isSecure ? 8 : 7)
    guard !rest.hasPrefix("unix:") else { return nil }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = String(rest[..<slash])
    let path = rest[slash...]
    guard
      let address = ServerAddress(authority)
        ?? ServerAddress(authority + (isSecure ? ":443" : ":80")),
      path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.address = address
    self.path = String(path)
  }
}

/// The URL of a session.
package struct SessionURL: Equatable, Sendable {
  /// The address to connect to.
  let address: ServerAddress

  /// Whether the URL is `https`.
  private let isSecure: Bool

  /// The path prefix of a proxy; empty for none.
  let prefix: String

  /// The path of the session below the prefix, without a leading slash:
  /// `v1/reactors/{reactor}/sessions/{session}`.
  let path: String

  /// The short name of the session: `counter/demo`.
  let name: String

  /// The name without percent-encoding.
  var key: String { name.percentDecoded ?? name }

  /// The server, to which ``path`` is relative.
  var origin: HTTPOrigin { HTTPOrigin(address, isSecure: isSecure, prefix: prefix) }

  /// Parses the URL of a session, of a resource below it (`…/state`), or of its page in the inspector
  /// (`http://HOST/#/counter/demo`).
  package init?(_ text: String) {
    guard let url = ServerURL(text) else { return nil }
    let parts = url.path.split(separator: "/", omittingEmptySubsequences: false)
    let start: Int
    let reactor: Substring
    let session: Substring
    if let page = parts.firstIndex(of: "#"), parts.count == page + 3 {
      (start, reactor, session) = (page, parts[page + 1], parts[page + 2])
    } else {
      guard let version = parts.firstIndex(of: "v1"), parts.count >= version + 5,
        parts[version + 1] == "reactors", parts[version + 3] == "sessions",
        !url.path.contains("?")
      else { return nil }
      (start, reactor, session) = (version, parts[version + 2], parts[version + 4])
    }
    guard !reactor.isEmpty, !session.isEmpty else { return nil }
    address = url.address
    isSecure = url.isSecure
    prefix = parts[..<start].joined(separator: "/")
    path = "v1/reactors/\(reactor)/sessions/\(session)"
    name = "\(reactor)/\(session)"
  }
}
