internal import CPostgres

/// The address of a database: a URL that libpq accepts.
package struct PostgresAddress: Equatable, Sendable {
  /// The URL, which may contain a password.
  let text: String

  /// The user name; empty for the default one.
  package let user: String

  /// Whether the URL contains a password.
  package let hasPassword: Bool

  /// The parameters of each host, in order: `host`, `hostaddr` and `port`.
  let hosts: [[String: String]]

  private let place: String

  /// Reads `postgres://` or `postgresql://`, with everything that libpq accepts: several hosts, TLS, timeouts,
  /// a service, or `nil` for anything else.
  package init?(_ text: String) {
    guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"),
      !text.utf8.contains(0), let options = unsafe PQconninfoParse(text, nil)
    else { return nil }
    defer { unsafe PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        unsafe values[String(cString: keyword)] = String(cString: value)
      }
      unsafe option += 1
    }
    self.text = text
    user = values["user"] ?? ""
    hasPassword = values["password"] != nil || values["sslpassword"] != nil
    let lists = ["host", "hostaddr", "port"].map { keyword in
      let list = values[keyword] ?? ""
      return (
        keyword, list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      )
    }
    self.hosts = (0..<(lists.map(\.1.count).max() ?? 1)).map { index in
      var host: [String: String] = [:]
      // One port is that of all hosts.
      for (keyword, list) in lists where index < list.count || keyword == "port" {
        host[keyword] = index < list.count ? list[index] : list.count == 1 ? list[0] : nil
      }
      return host
    }
    let hosts = (values["host"] ?? values["hostaddr"] ?? "").split(separator: ",").map(String.init)
    let ports = (values["port"] ?? "").split(separator: ",").map(String.init)
    let named = hosts.enumerated().map { index, host in
      let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
      return port.isEmpty ? host : "\(host):\(port)"
    }
    place = named.joined(separator: ",") + "/" + (values["dbname"] ?? "")
  }
}

extension PostgresAddress: CustomStringConvertible {
  /// The hosts and the database, without the user and without secrets.
  package var description: String { "postgres://\(place)" }
}
