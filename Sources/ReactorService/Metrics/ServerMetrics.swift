internal import MicrohttpdServer
internal import Synchronization
internal import Telemetry

/// The metrics of the HTTP server.
///
/// The server is created after the API that exposes its metrics, and is set later.
final class ServerMetrics: MetricsSource {
  private let server = Mutex<MicrohttpdServer?>(nil)

  func observe(_ server: MicrohttpdServer) {
    self.server.withLock { $0 = server }
  }

  func write(to text: inout MetricsText) {
    guard let statistics = server.withLock({ $0 })?.statistics else { return }
    text.family("reactord_http_connections", .gauge, "Open connections that serve requests.")
    text.sample(statistics.connections)
    text.family("reactord_http_requests_in_flight", .gauge, "Requests without a response yet.")
    text.sample(statistics.requestsInFlight)
    text.family("reactord_streams", .gauge, "Open connections that serve a stream.")
    text.sample(statistics.streams)
    text.family(
      "reactord_http_connections_refused_total", .counter,
      "Connections rejected by limits.address.")
    text.sample(statistics.rejected)
    text.family(
      "reactord_http_connections_overdue_total", .counter,
      "Connections closed because a time limit expired.")
    text.sample(statistics.overdue)
  }
}
