internal import Telemetry

/// Counts the events of streams.
final class StreamCounts: MetricsSource {
  /// State events that were passed to a connection.
  let deliveries = Counter()

  /// The number of times that a subscriber that was behind skipped to the latest state.
  let conflations = Counter()

  func write(to text: inout MetricsText) {
    text.family(
      "reactord_stream_deliveries_total", .counter,
      "State events that were passed to streams.", deliveries.value)
    text.family(
      "reactord_stream_conflations_total", .counter,
      "How often a stream that was behind skipped to the latest state.", conflations.value)
  }
}
