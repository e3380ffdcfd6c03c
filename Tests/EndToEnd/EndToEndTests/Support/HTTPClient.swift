import Testing

/// A client that sends sequential requests over one connection.
///
/// Confined to one thread. Follows HTTP/1.1 exactly, without redirects and retries.
final class HTTPClient {
  let port: UInt16
  /// The address of the service, or `nil` for the loopback address.
  let address: NetworkAddress?
  /// The last byte of the client's own loopback address, or `nil` for the usual one.
  let source: UInt8?
  private var connection: Connection?

  init(port: UInt16, at address: NetworkAddress? = nil, source: UInt8? = nil) {
    self.port = port
    self.address = address
    self.source = source
  }

  /// Sends a request and reads its response.
  func send(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8]? = nil,
    timeout: Duration = Connection.timeout, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPResponse {
    let deadline = ContinuousClock.now + timeout
    try start(method, path, headers, body: body)
    let response = try self.response(to: method, until: deadline)
    // The contract promises this header field for every response, so every test checks it.
    #expect(response["X-Content-Type-Options"] == "nosniff", sourceLocation: sourceLocation)
    return response
  }

  /// Sends a request; ``response(to:until:)`` reads the response.
  func start(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8]? = nil
  ) throws {
    var request = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in headers { request += "\(name): \(value)\r\n" }
    if let body { request += "Content-Length: \(body.count)\r\n" }
    try open().send(Array((request + "\r\n").utf8) + (body ?? []))
  }

  func response(
    to method: String, until deadline: ContinuousClock.Instant = .now + Connection.timeout
  ) throws -> HTTPResponse {
    let reader = ResponseReader(connection: try open())
    do {
      var response = try reader.head(until: deadline)
      let framing = reader.framing(of: response, to: method)
      response.body = try reader.body(framing, until: deadline)
      let closes =
        if case .untilClose = framing { true } else {
          response["Connection"]?.lowercased() == "close"
        }
      if closes { connection = nil }
      return response
    } catch {
      connection = nil
      throw error
    }
  }

  /// Sends text unchanged over a new connection, and reads one response.
  ///
  /// The caller retains the connection to keep it open.
  func raw(_ text: String, method: String = "GET") throws -> (HTTPResponse, Connection) {
    let connection = try Connection(port: port, at: address, source: source)
    try connection.send(text)
    let reader = ResponseReader(connection: connection)
    let deadline = ContinuousClock.now + Connection.timeout
    var response = try reader.head(until: deadline)
    response.body = try reader.body(reader.framing(of: response, to: method), until: deadline)
    return (response, connection)
  }

  private func open() throws -> Connection {
    if let connection { return connection }
    let opened = try Connection(port: port, at: address, source: source)
    connection = opened
    return opened
  }
}

extension HTTPClient {
  func get(
    _ path: String, _ headers: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPResponse {
    try send("GET", path, headers, sourceLocation: sourceLocation)
  }

  /// Sends JSON.
  func send(
    _ method: String, _ path: String, _ headers: [String: String] = [:], json: String,
    timeout: Duration = Connection.timeout, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPResponse {
    try send(
      method, path, headers.merging(["Content-Type": "application/json"]) { given, _ in given },
      body: Array(json.utf8), timeout: timeout, sourceLocation: sourceLocation)
  }
}
