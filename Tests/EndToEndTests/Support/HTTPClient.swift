import Testing

/// A client that sends one request after the other over one connection.
///
/// Confined to one thread. Follows HTTP/1.1 exactly, without redirects and retries.
final class HTTPClient {
  let port: UInt16
  private var connection: Connection?

  init(port: UInt16) {
    self.port = port
  }

  /// Sends a request and reads its response.
  func send(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8]? = nil,
    patience: Duration = Connection.patience, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPAnswer {
    let deadline = ContinuousClock.now + patience
    try start(method, path, headers, body: body)
    let answer = try self.answer(to: method, until: deadline)
    // The contract promises it for every response, so every test checks it.
    #expect(answer["X-Content-Type-Options"] == "nosniff", sourceLocation: sourceLocation)
    return answer
  }

  /// Sends a request; ``answer(to:until:)`` reads the response.
  func start(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: [UInt8]? = nil
  ) throws {
    var request = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in headers { request += "\(name): \(value)\r\n" }
    if let body { request += "Content-Length: \(body.count)\r\n" }
    try open().send(Array((request + "\r\n").utf8) + (body ?? []))
  }

  func answer(
    to method: String, until deadline: ContinuousClock.Instant = .now + Connection.patience
  ) throws -> HTTPAnswer {
    let reader = AnswerReader(connection: try open())
    do {
      var answer = try reader.head(until: deadline)
      let framing = reader.framing(of: answer, to: method)
      answer.body = try reader.body(framing, until: deadline)
      let closes =
        if case .untilClose = framing { true } else {
          answer["Connection"]?.lowercased() == "close"
        }
      if closes { connection = nil }
      return answer
    } catch {
      connection = nil
      throw error
    }
  }

  /// Sends text unchanged over a new connection, and reads one response.
  ///
  /// The caller retains the connection to keep it open.
  func raw(_ text: String, method: String = "GET") throws -> (HTTPAnswer, Connection) {
    let connection = try Connection(port: port)
    try connection.send(text)
    let reader = AnswerReader(connection: connection)
    let deadline = ContinuousClock.now + Connection.patience
    var answer = try reader.head(until: deadline)
    answer.body = try reader.body(reader.framing(of: answer, to: method), until: deadline)
    return (answer, connection)
  }

  private func open() throws -> Connection {
    if let connection { return connection }
    let opened = try Connection(port: port)
    connection = opened
    return opened
  }
}

extension HTTPClient {
  func get(
    _ path: String, _ headers: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPAnswer {
    try send("GET", path, headers, sourceLocation: sourceLocation)
  }

  /// Sends JSON.
  func send(
    _ method: String, _ path: String, _ headers: [String: String] = [:], json: String,
    patience: Duration = Connection.patience, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> HTTPAnswer {
    try send(
      method, path, headers.merging(["Content-Type": "application/json"]) { given, _ in given },
      body: Array(json.utf8), patience: patience, sourceLocation: sourceLocation)
  }
}
