internal import ReactorTransport
internal import Shares

/// An element of a stream worker's array of connections.
///
/// The small properties are adjacent, so that a slot has 80 bytes, which is most of the memory of
/// an idle stream.
struct StreamSlot {
  var connection = StreamConnection(head: [], hasStream: false, isChunked: false)

  /// The descriptor of the socket; negative while the slot is free.
  var descriptor: Int32 = -1

  /// The client's turn in the queue.
  var client = ConnectionTurns.others

  /// Whether there is input to drop.
  var hasInput = false

  /// Whether the client has closed its direction.
  var clientHasEnded = false

  /// Distinguishes the connection from earlier ones in this slot, whose events can still arrive.
  var generation: UInt16

  /// The number of bytes that the client has sent on its stream, all dropped, up to 65,535.
  var dropped: UInt16 = 0

  var stream: (any ByteStream)?

  /// The connection's share of `limits.address`.
  var permit: ConnectionPermit?

  /// The account that holds a place for the stream.
  var account: Account?

  /// The socket, or `nil` while the slot is free.
  var socket: StreamSocket? { descriptor < 0 ? nil : StreamSocket(descriptor) }
}
