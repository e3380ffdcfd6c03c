internal import ReactorTransport

/// An element of a request worker's array of connections.
struct ConnectionSlot {
  /// The connection; `nil` while the slot is free.
  var connection: Connection?

  /// libmicrohttpd's descriptor of its socket.
  var socket: Int32 = -1

  /// The client's address; `nil` on a Unix-domain socket.
  var peer: ClientAddress?

  /// The client in the budget of a turn; `nil` if its reads are not limited.
  var client: TurnBudget.Entry?

  /// The connection's share of its client's limit.
  var permit: ConnectionPermit?

  /// The field `Authorization` of its last request, at most `AuthorizationField.retainedSize` bytes.
  var authorization: AuthorizationField?

  /// The head of its last request; `nil` unless its scanner may replace a repetition of it.
  var head: HTTPRequestHead?

  /// The exchange for which libmicrohttpd holds the connection.
  var suspended: Exchange?

  /// Checks the connection's bytes before libmicrohttpd parses them.
  var scanner: RequestScanner

  /// Whether the scanner has rejected the connection, which libmicrohttpd closes then.
  var isRejected = false

  /// Whether it serves only requests of priority, because all other connections are in use.
  var isReserved = false

  /// Whether its socket was shut down to make room for another connection.
  var isClosing = false

  /// Whether the next response is the last one.
  var mustClose: Bool { isReserved || scanner.violation != nil }

  init(scanner: RequestScanner) { self.scanner = scanner }

  /// Retains what the next request may repeat of a head.
  mutating func retainHead(of intake: inout RequestIntake) {
    let field = intake.retainedAuthorization
    if field !== authorization { authorization = field }
    head = scanner.retainsHead ? intake.completeHead(from: peer) : nil
  }
}
