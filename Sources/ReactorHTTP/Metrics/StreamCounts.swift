internal import ReactorHost

/// Counts what was sent on streams.
final class StreamCounts: MetricsSource {
  /// Events of states that were given to a connection.
  let deliveries = Counter()

  /// How often a subscriber that had fallen behind was given the latest state instead of each one.
  let conflations = Counter()

  func write(to text: inout MetricsText) {
    text.family(
      "reactord_stream_deliveries_total", .counter, "Events of states that streams were given.")
    text.sample(deliveries.value)
    text.family(
      "reactord_stream_conflations_total", .counter,
      "How often a stream that was behind was given the latest state instead of each one.")
    text.sample(conflations.value)
  }
}
