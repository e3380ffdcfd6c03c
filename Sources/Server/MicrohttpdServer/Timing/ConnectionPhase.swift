/// The phases of a connection for requests, each with its own timeout.
enum ConnectionPhase: UInt8, CaseIterable, Sendable {
  /// New: before the end of its first head.
  case opened
  /// Kept alive: before the next request line.
  case idle
  /// Kept alive: between a request line and the end of its head.
  case receivingHead
  /// The body of a request is being received.
  case receiving
  /// The service has the request; without a timeout.
  case responding
  /// Before the end of the response.
  case sending
}
