internal import MicrohttpdServer
internal import ReactorHost
internal import Synchronization

/// What the transport holds.
///
/// The transport is made after the service that shows its figures, and told of then.
final class ServerMetrics: MetricsSource {
  private let server = Mutex<MicrohttpdServer?>(nil)

  func observe(_ server: MicrohttpdServer) {
    self.server.withLock { $0 = server }
  }

  func write(to text: inout MetricsText) {
    guard let statistics = server.withLock({ $0 })?.statistics else { return }
    text.family("reactord_http_connections", .gauge, "Connections for requests.")
    text.sample(statistics.connections)
    text.family("reactord_http_requests_in_flight", .gauge, "Requests that wait for their answer.")
    text.sample(statistics.requestsInFlight)
    text.family("reactord_streams", .gauge, "Connections that carry a stream.")
    text.sample(statistics.streams)
    text.family(
      "reactord_http_connections_refused_total", .counter,
      "Connections refused because their address had enough of them.")
    text.sample(statistics.refused)
    text.family(
      "reactord_http_connections_overdue_total", .counter,
      "Connections closed because their client was too slow.")
    text.sample(statistics.overdue)
  }
}
