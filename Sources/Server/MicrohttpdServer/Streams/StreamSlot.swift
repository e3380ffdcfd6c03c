internal import ReactorTransport

/// An element of a stream worker's array of connections.
///
/// The small properties are adjacent, so that a slot has 80 bytes, which is most of the memory of
/// an idle stream.
struct StreamSlot {
  var connection: StreamConnection

  /// The socket, or `nil` while the slot is free.
  var socket: StreamSocket?

  /// Whether the index is in the queue; persists when the slot is reused.
  var isQueued = false

  /// Whether there is input to drop.
  var hasInput = false

  /// Whether the client has closed its direction.
  var clientHasEnded = false

  /// Distinguishes the connection from earlier ones in this slot, whose events can still arrive.
  var generation: UInt32

  var stream: (any ByteStream)?

  /// The connection's share of its client's limit.
  var permit: ConnectionPermit?

  /// The number of bytes that the client has sent on its stream, all dropped.
  var dropped = 0
}
