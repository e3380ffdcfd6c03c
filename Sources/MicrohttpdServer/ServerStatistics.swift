/// What a server holds at one moment.
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
}
