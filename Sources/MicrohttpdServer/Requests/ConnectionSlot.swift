internal import ReactorHTTP

/// A place for one connection in a request worker's array.
struct ConnectionSlot {
  /// The connection, while there is one.
  var connection: Connection?

  /// libmicrohttpd's descriptor of its socket.
  var socket: Int32 = -1

  /// Its client's address, where it has one.
  var peer: ClientAddress?

  /// What its client is counted by.
  var permit: ConnectionPermit?

  /// The exchange that waits for its answer while libmicrohttpd holds the connection.
  var suspended: Exchange?
}
