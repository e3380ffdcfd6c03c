/// The connections of a server, and counters since its start.
///
/// The values are read one after the other while the server runs; they are not a consistent
/// snapshot.
package struct ServerStatistics: Hashable, Sendable {
  /// Connections for requests: idle, in a request, or suspended; without streams.
  package var connections: Int

  /// Requests that the responder has received and whose response is not yet sent.
  package var requestsInFlight: Int

  /// Connections for streams.
  package var streams: Int

  /// Connections that were rejected because their client had reached its limit.
  package var rejected: Int

  /// Connections and streams that were closed because their client was too slow.
  package var overdue: Int
}
