/// Carries the requests of a client to a server.
///
/// The client adds everything that the contract requires; a transport only moves bytes. Conform to it
/// to reach a server in another way: through a tunnel, with another HTTP library, in a test.
public protocol ClientTransport: Sendable {
  /// Sends a request and receives the complete response.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - completion: Called once, on any thread. Every status is a success; a failure is a problem of
  ///     kind ``Problem/Kind/unreachable`` or ``Problem/Kind/untrustedCertificate``.
  func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void)

  /// Sends a request and receives its response as it arrives.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - receive: Called for each event in order, one call at a time, on any thread.
  /// - Returns: The connection, open until its end or ``TransportConnection/cancel()``.
  func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection

  /// Ends all connections. The client sends no request after this call.
  func close()
}

/// A part of a response.
public enum TransportEvent: Sendable {
  /// The head; the first event unless the request failed.
  case head(TransportHead)

  /// Bytes of the body.
  case bytes([UInt8])

  /// The end of the response; the last event. The problem is `nil` if the response is complete.
  case end(Problem?)
}

/// A response that is being received.
public protocol TransportConnection: AnyObject, Sendable {
  /// Ends the connection. Idempotent; events may still be delivered.
  func cancel()
}
