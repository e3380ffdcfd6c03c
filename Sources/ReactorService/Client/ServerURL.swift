/// An address of a daemon as people write it: `http://HOST[:PORT][/PATH]`.
struct ServerURL: Equatable, Sendable {
  /// Whom to ask; without a port it is 80.
  let address: ListenAddress

  /// The path with its query, empty where there is none.
  let path: String

  /// Reads a URL.
  ///
  /// Returns `nil` for anything else, and for a path that could not stand in a request line.
  init?(_ text: String) {
    let scheme = "http://"
    guard text.hasPrefix(scheme) else { return nil }
    let rest = text.dropFirst(scheme.count)
    guard !rest.hasPrefix("unix:") else { return nil }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = String(rest[..<slash])
    let path = rest[slash...]
    guard let address = ListenAddress(authority) ?? ListenAddress(authority + ":80"),
      path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.address = address
    self.path = String(path)
  }
}

/// A session on a daemon.
struct SessionURL: Equatable, Sendable {
  /// Whom to ask.
  let address: ListenAddress

  /// The session's path, `/v1/reactors/{reactor}/sessions/{session}`, behind the daemon's own prefix.
  let path: String

  /// The session as people call it, `counter/demo`.
  let name: String

  /// Reads the address of a session, of something of it (`…/state`), or of its page in the inspector
  /// (`http://HOST/#/counter/demo`).
  init?(_ text: String) {
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
