internal import ReactorHTTP

/// A place for one connection in a worker's array.
struct StreamSlot {
  /// The connection, while there is one.
  var socket: StreamSocket?
  var connection: StreamConnection
  var stream: (any ByteStream)?

  /// What its client is counted by.
  var permit: ConnectionPermit?

  /// Tells this connection from the one that had the place before it, in events that are late.
  var generation: UInt32

  /// Stands in the queue.
  ///
  /// It belongs to the place: a successor may find itself queued already.
  var isQueued = false

  /// The client sent more than was dropped in one turn.
  var hasInput = false

  /// The client will send nothing more.
  var clientHasEnded = false

  /// How many bytes the client has sent on its stream, all dropped.
  var dropped = 0
}
