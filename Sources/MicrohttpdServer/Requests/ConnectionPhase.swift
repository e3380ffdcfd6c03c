/// What a connection that libmicrohttpd serves is doing, as far as time is concerned.
enum ConnectionPhase: UInt8, CaseIterable, Sendable {
  /// New: its first request line and header fields are awaited.
  case opened
  /// Kept alive: the next request line is awaited.
  case idle
  /// Kept alive: the request line is there, and its header fields are awaited.
  case receivingHead
  /// The body of a request is awaited.
  case receiving
  /// The service has the request; that takes as long as it takes.
  case responding
  /// The client is to take the answer.
  case sending
}
