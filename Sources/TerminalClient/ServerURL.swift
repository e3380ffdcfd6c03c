/// The URL of a server: `http://HOST[:PORT][/PATH]`.
struct ServerURL: Equatable, Sendable {
  /// The address to connect to; the port is 80 if the URL has none.
  let address: ServerAddress

  /// The path with its query; empty if the URL has none.
  let path: String

  /// Parses a URL; `nil` for anything else, and for a path that is invalid in a request line.
  init?(_ text: String) {
    let scheme = "http://"
    guard text.hasPrefix(scheme) else { return nil }
    let rest = text.dropFirst(scheme.count)
    guard !rest.hasPrefix("unix:") else { return nil }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = String(rest[..<slash])
    let path = rest[slash...]
    guard let address = ServerAddress(authority) ?? ServerAddress(authority + ":80"),
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

  /// The path of the session, `/v1/reactors/{reactor}/sessions/{session}`, including the prefix of a
  /// proxy.
  let path: String

  /// The short name of the session: `counter/demo`.
  let name: String

  /// Parses the URL of a session, of a resource below it (`…/state`), or of its page in the inspector
  /// (`http://HOST/#/counter/demo`).
  package init?(_ text: String) {
    guard let url = ServerURL(text) else { return nil }
    address = url.address
    let parts = url.path.split(separator: "/", omittingEmptySubsequences: false)
    if let page = parts.firstIndex(of: "#"), parts.count == page + 3,
      parts[(page + 1)...].allSatisfy({ !$0.isEmpty })
    {
      let prefix = parts[..<page].joined(separator: "/")
      path = "\(prefix)/v1/reactors/\(parts[page + 1])/sessions/\(parts[page + 2])"
      name = parts[(page + 1)...].joined(separator: "/")
      return
    }
    guard let start = parts.firstIndex(of: "v1"), parts.count >= start + 5,
      parts[start + 1] == "reactors", parts[start + 3] == "sessions",
      !parts[start + 2].isEmpty, !parts[start + 4].isEmpty, !url.path.contains("?")
    else { return nil }
    path = parts[..<(start + 5)].joined(separator: "/")
    name = "\(parts[start + 2])/\(parts[start + 4])"
  }
}
