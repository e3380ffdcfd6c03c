internal import ReactorTransport

/// An element of a stream worker's array of connections.
///
/// The small properties are adjacent, so that a slot has 80 bytes, which is most of the memory of
/// an idle stream.
struct StreamSlot {
  var connection = StreamConnection(head: [], hasStream: false, isChunked: false)

  /// The socket, or `nil` while the slot is free.
  var socket: StreamSocket?

  /// The client's turn in the queue, or `nil` if its connections are those of many clients.
  var client: TurnBudget.Entry?

  /// Whether there is input to drop.
  var hasInput = false

  /// Whether the client has closed its direction.
  var clientHasEnded = false

  /// Distinguishes the connection from earlier ones in this slot, whose events can still arrive.
  var generation: UInt32

  /// The number of bytes that the client has sent on its stream, all dropped; at most 4 GiB are counted.
  var dropped: UInt32 = 0

  var stream: (any ByteStream)?

  /// The connection's share of its client's limit.
  var permit: ConnectionPermit?

  /// Counts bytes that were dropped.
  mutating func didDrop(_ count: Int) { dropped = UInt32(clamping: Int(dropped) + count) }
}
