internal import Synchronization
internal import Telemetry

/// The counters of a store on NATS.
final class LogCounters: Sendable {
  /// Acknowledged appends.
  let appends = Counter()
  /// Messages that were sent again because no reply arrived in time.
  let resends = Counter()
  /// Appends that another writer's message prevented.
  let lost = Counter()
  /// Appends whose outcome is not known.
  let unknown = Counter()
  /// Stored messages that do not follow the message that they name.
  let forks = Counter()
  /// Streams that were cleaned.
  let cleanings = Counter()
  /// Sessions that could not be compacted when their stream was cleaned.
  let uncleaned = Counter()
  /// Anchors that were appended.
  let anchors = Counter()
  /// Messages that were read by their sequences.
  let reads = Counter()
  /// Requests to leaders of streams to step down.
  let demotions = Counter()
  /// Appends without an outcome.
  let pending = Atomic<Int>(0)
}

extension LogCounters {
  /// Writes the metrics of a store.
  func write(to text: inout MetricsText, isConnected: Bool, reconnects: Int) {
    text.family(
      "reactord_nats_appends_total", .counter, "Appends that the brokers confirmed.", appends.value)
    text.family(
      "reactord_nats_resends_total", .counter,
      "Appends that were sent again because no reply arrived in time.", resends.value)
    text.family(
      "reactord_nats_lost_total", .counter,
      "Appends that another writer's append prevented.", lost.value)
    text.family(
      "reactord_nats_unknown_total", .counter,
      "Appends whose outcome could not be determined.", unknown.value)
    text.family(
      "reactord_log_forks_total", .counter,
      "Stored messages that do not follow their predecessor; always 0.", forks.value)
    text.family(
      "reactord_nats_cleanings_total", .counter,
      "LOG streams whose old messages were moved into pages and deleted.", cleanings.value)
    text.family(
      "reactord_nats_cleaning_failures_total", .counter,
      "Sessions whose messages could not be moved into pages when their stream was cleaned.",
      uncleaned.value)
    text.family(
      "reactord_nats_anchors_total", .counter,
      "Messages that replace the earlier messages of a session.", anchors.value)
    text.family(
      "reactord_nats_reads_total", .counter,
      "Messages of logs and pages that were read from the brokers.", reads.value)
    text.family(
      "reactord_nats_demotions_total", .counter,
      "Requests to leaders of streams to step down because they lack messages.", demotions.value)
    text.family(
      "reactord_nats_pending_appends", .gauge,
      "Appends without an outcome yet.", pending.load(ordering: .relaxed))
    text.family(
      "reactord_nats_connected", .gauge,
      "Whether the connection to the brokers is not interrupted.", isConnected ? 1 : 0)
    text.family(
      "reactord_nats_reconnects_total", .counter, "Reconnections to the brokers.", reconnects)
  }
}
