internal import MicrohttpdServer
internal import ReactorHost
internal import Synchronization
internal import Telemetry

/// The metrics of the HTTP server, and the limits of the service.
///
/// The server is created after the API that exposes its metrics, and is set later.
final class ServerMetrics: MetricsSource {
  private let server = Mutex<MicrohttpdServer?>(nil)
  private let host: HostSettings

  init(host: HostSettings) {
    self.host = host
  }

  func observe(_ server: MicrohttpdServer) {
    self.server.withLock { $0 = server }
  }

  func write(to text: inout MetricsText) {
    guard let server = server.withLock({ $0 }) else { return }
    let statistics = server.statistics
    text.family(
      "reactord_http_connections", .gauge,
      "Open connections that serve requests.", statistics.connections)
    text.family(
      "reactord_http_requests_in_flight", .gauge,
      "Requests without a response yet.", statistics.requestsInFlight)
    text.family(
      "reactord_streams", .gauge, "Open connections that serve a stream.", statistics.streams)
    text.family(
      "reactord_http_connections_refused_total", .counter,
      "Connections rejected by limits.address.", statistics.rejected)
    text.family(
      "reactord_http_connections_overdue_total", .counter,
      "Connections closed because a time limit expired.", statistics.overdue)
    text.family("reactord_limit", .gauge, "The most connections, streams, sessions and effects.")
    for (kind, limit) in [
      ("connections", server.limits.connections), ("streams", server.limits.streams),
      ("sessions", host.sessionLimit), ("effects", host.effectLimit),
    ] {
      text.sample(["of": kind], limit)
    }
  }
}
