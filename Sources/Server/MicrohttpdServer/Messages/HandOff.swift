internal import ReactorTransport
internal import Shares

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

  /// The connection's share of `limits.address`.
  var permit: ConnectionPermit?

  /// The client's turn among the streams, or `nil` if the connections of its peer are those of many
  /// clients.
  var client: TurnBudget.Entry?

  /// The account that holds a place for the stream, or `nil` if it has none.
  var account: Account?
}

extension HandOff {
  /// Creates a hand-off of a connection that is sent one response and then closed.
  init(
    socket: Int32, rejection response: HTTPResponse, isHead: Bool,
    place: Admission.Place = .init(), client: TurnBudget.Entry? = nil
  ) {
    var body: [UInt8] = []
    if case .bytes(let bytes) = response.body { body = bytes } else { response.discard() }
    let head = ResponseHead(
      status: response.status, headers: response.headers, framing: .length(body.count))
    self.init(
      socket: socket, head: isHead ? head.bytes : head.bytes + body, stream: nil, isChunked: false,
      permit: place.permit, client: client)
  }
}
