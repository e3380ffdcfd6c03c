internal import Telemetry

/// The release and the kind of store, as labels of a metric.
struct InfoMetrics: MetricsSource {
  /// `memory`, `sqlite` or `postgres`.
  let store: String

  func write(to text: inout MetricsText) {
    text.family("reactord_info", .gauge, "1, with the release and the kind of store as labels.")
    text.sample(["version": ServiceVersion.current, "store": store], 1)
  }
}
