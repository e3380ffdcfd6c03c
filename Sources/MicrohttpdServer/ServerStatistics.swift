/// What a server holds at one moment, and what it refused since its start.
///
/// The figures are read one after the other while the server runs, so that they need not belong
/// to the very same instant.
public struct ServerStatistics: Hashable, Sendable {
  /// Connections that libmicrohttpd serves: idle, in a request, or suspended.
  ///
  /// Streams are not among them.
  public var connections: Int

  /// Requests that were handed to the responder and whose answer is not yet written.
  public var requestsInFlight: Int

  /// Connections that carry a stream.
  public var streams: Int

  /// Connections that were refused since the start because their client had enough of them.
  public var refused: Int

  /// Connections that were closed since the start because their client was too slow.
  public var overdue: Int
}
