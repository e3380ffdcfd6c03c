internal import ReactorTransport
internal import Shares

/// An element of a request worker's array of connections.
struct ConnectionSlot {
  /// The connection, or `nil` while the slot is free.
  var connection: Connection?

  /// libmicrohttpd's descriptor of its socket.
  var socket: Int32 = -1

  /// The client's address, or `nil` on a Unix-domain socket.
  var peer: ClientAddress?

  /// The client's entry in the `TurnBudget` and the `WriteBudget`, or `nil` if its connections are those
  /// of many clients.
  var client: TurnBudget.Entry?

  /// The entry of the client whose body is being received, if a trusted proxy passes it on.
  var bodyClient: TurnBudget.Entry?

  /// The holdings of the connection of shared limits.
  var place = Admission.Place()

  /// The field `Authorization` of its last request, at most `AuthorizationField.retainedSize` bytes.
  var authorization: AuthorizationField?

  /// The head of its last request, or `nil` unless the scanner can replace a repetition of the head.
  var head: HTTPRequestHead?

  /// The body of the response that is being sent; of size 0 if it is not large enough to be counted.
  var body = SentBodies.Body()

  /// The exchange for which libmicrohttpd holds the connection.
  var suspended: Exchange?

  /// Checks the connection's bytes before libmicrohttpd parses them.
  var scanner: RequestScanner

  /// Whether the scanner has rejected the connection; libmicrohttpd closes it next.
  var isRejected = false

  /// Whether it serves only priority requests, because all other connections are in use.
  var isReserved = false

  /// Whether its socket was shut down to make room for another connection.
  var isClosing = false

  /// Whether the next response is the last one.
  var mustClose: Bool { isReserved || scanner.violation != nil }

  init(scanner: RequestScanner) { self.scanner = scanner }

  /// Retains the `Authorization` of a head, and the head itself if the scanner can replace its
  /// repetition by the next request.
  mutating func retainHead(of intake: inout RequestIntake) {
    let field = intake.retainedAuthorization
    if field !== authorization { authorization = field }
    head = scanner.retainsHead ? intake.completeHead(from: peer, place.account) : nil
  }
}
