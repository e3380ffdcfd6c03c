internal import ReactorHTTP

/// A connection on its way from libmicrohttpd to a stream loop.
struct HandOff: Sendable {
  /// Our own descriptor of the socket.
  ///
  /// Whoever holds the hand-off closes it.
  var socket: Int32

  /// What to write first: the response's head, and for a refusal its body.
  var head: [UInt8]

  /// What follows the head; `nil` ends the connection after it.
  var stream: (any ByteStream)?

  /// Whether the stream is written in chunks (HTTP/1.1) or as it is (HTTP/1.0).
  var isChunked: Bool

  /// What its client is counted by.
  var permit: ConnectionPermit?
}

extension HandOff {
  /// A connection that is told one thing and ends.
  init(
    socket: Int32, refusal response: HTTPResponse, isHead: Bool, permit: ConnectionPermit? = nil
  ) {
    var body: [UInt8] = []
    if case .bytes(let bytes) = response.body { body = bytes } else { response.discard() }
    let head = ResponseHead(
      status: response.status, headers: response.headers, framing: .length(body.count))
    self.init(
      socket: socket, head: isHead ? head.bytes : head.bytes + body, stream: nil, isChunked: false,
      permit: permit)
  }
}
