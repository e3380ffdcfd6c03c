import Testing

/// A client of one session.
///
/// Confined to one thread.
struct SessionClient {
  let client: HTTPClient
  /// The session's address.
  let path: String

  init(_ client: HTTPClient, _ path: String) {
    self.client = client
    self.path = path
  }

  var id: String { path.split(separator: "/").last.map(String.init) ?? "" }

  /// The address of the reactor's sessions.
  var siblings: String { path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } }

  func put() throws -> HTTPResponse { try client.send("PUT", path) }

  func delete() throws -> HTTPResponse { try client.send("DELETE", path) }

  /// Reads the State.
  func state(_ query: String = "", _ headers: [String: String] = [:]) throws -> HTTPResponse {
    try client.get(path + "/state" + query, headers)
  }

  /// Posts an action, or several.
  @discardableResult
  func post(
    _ action: String, _ headers: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPResponse {
    try client.send(
      "POST", path + "/actions", headers, json: action, sourceLocation: sourceLocation)
  }

  func log(_ query: String = "", _ headers: [String: String] = [:]) throws -> HTTPResponse {
    try client.get(path + "/log" + query, headers)
  }

  /// Reads the running effects.
  func effects(sourceLocation: SourceLocation = #_sourceLocation) throws -> [JSON] {
    try #require(
      try client.get(path + "/effects").json["effects"]?.array, sourceLocation: sourceLocation)
  }

  /// Opens a stream over a new connection.
  func events(
    _ query: String = "", _ headers: [String: String] = [:], receiveBuffer: Int32? = nil
  ) throws -> EventStream {
    try EventStream(
      port: client.port, at: client.address, path + "/events" + query, headers,
      receiveBuffer: receiveBuffer)
  }

  /// The number of subscribers in the list of sessions, or `nil` if the session is not listed.
  func subscribers() throws -> Int? {
    var page: String? = siblings + "?limit=1000"
    while let path = page {
      let response = try client.get(path)
      for session in try response.json["sessions"]?.array ?? [] where session["id"]?.string == id {
        return session["subscribers"]?.int
      }
      page = response.nextPage
    }
    return nil
  }
}
