internal import ReactorTransport

/// A connection that moves from libmicrohttpd to a stream loop.
struct HandOff: Sendable {
  /// A descriptor of the socket; its owner closes it.
  var socket: Int32

  /// The bytes to write first: the response's head, and the body of a rejection.
  var head: [UInt8]

  /// The body; `nil` ends the connection after the head.
  var stream: (any ByteStream)?

  /// Whether the stream is sent in chunks (HTTP/1.1) or as plain bytes (HTTP/1.0).
  var isChunked: Bool

  /// The connection's share of its client's limit.
  var permit: ConnectionPermit?

  /// The client's turn among the streams, or `nil` if the connections of its peer are those of many
  /// clients.
  var client: TurnBudget.Entry?

  /// The delay before a rejection is written.
  var delay = Duration.zero
}

extension HandOff {
  /// Creates a hand-off of a connection that is sent one response and then closed.
  init(
    socket: Int32, rejection response: HTTPResponse, isHead: Bool,
    permit: ConnectionPermit? = nil, client: TurnBudget.Entry? = nil, delay: Duration = .zero
  ) {
    var body: [UInt8] = []
    if case .bytes(let bytes) = response.body { body = bytes } else { response.discard() }
    let head = ResponseHead(
      status: response.status, headers: response.headers, framing: .length(body.count))
    self.init(
      socket: socket, head: isHead ? head.bytes : head.bytes + body, stream: nil, isChunked: false,
      permit: permit, client: client, delay: delay)
  }
}
