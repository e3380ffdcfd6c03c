internal import ClientCore
internal import Glibc

/// A request of a command to a server.
struct ClientRequest {
  /// A complete response.
  struct Response {
    let head: ResponseParser.Head
    let body: [UInt8]
  }

  /// The maximum size of a response body.
  private static let bodyLimit = 67_108_864

  let method: String
  let address: ServerAddress
  let path: String
  var fields: [(name: String, value: String)] = []
  var body: [UInt8]?

  /// The bytes of the request, after whose response the server closes the connection.
  var bytes: [UInt8] {
    let host = if case .network = address { "\(address)" } else { "localhost" }
    var head = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + (body ?? [])
  }

  /// Sends the request and waits for the complete response.
  func response(timeout: Int) throws(ClientSocket.Failure) -> Response {
    let socket = try ClientSocket(to: address, timeout: timeout)
    try socket.send(bytes)
    var parser = ResponseParser()
    var body: [UInt8] = []
    while !parser.isComplete {
      let received = try socket.receive()
      do {
        body += try parser.read(received)
      } catch {
        throw ClientSocket.Failure(reason: "\(address) does not respond with HTTP")
      }
      guard body.count <= Self.bodyLimit else {
        throw ClientSocket.Failure(reason: "the response of \(address) is too large")
      }
      if received.isEmpty, !parser.close() {
        throw ClientSocket.Failure(
          reason: parser.head == nil
            ? "\(address) does not respond with HTTP"
            : "\(address) closed the connection within a response")
      }
    }
    guard let head = parser.head else {
      throw ClientSocket.Failure(reason: "\(address) does not respond with HTTP")
    }
    return Response(head: head, body: body)
  }
}

extension RetrySchedule {
  /// Waits before the next attempt.
  mutating func pause() {
    let time = fail(random: .random(in: 0...1))
    usleep(UInt32(time / .microseconds(1)))
  }
}

extension Problem {
  /// Reads a response; a body that is not a problem is described by its status.
  init(status: Int, body: [UInt8]) {
    self.init(TransportResponse(TransportHead(status: status, fields: []), body: body))
  }
}
