/// The connections of a server, and counters since its start.
///
/// The values are read one after the other while the server runs; they are not a consistent
/// snapshot.
public struct ServerStatistics: Hashable, Sendable {
  /// Connections for requests: idle, in a request, or suspended; without streams.
  public var connections: Int

  /// Requests that the responder has received and whose response is not yet sent.
  public var requestsInFlight: Int

  /// Connections for streams.
  public var streams: Int

  /// Connections that were rejected because their client had reached its limit.
  public var rejected: Int

  /// Connections and streams that were closed because their client was too slow.
  public var overdue: Int
}
