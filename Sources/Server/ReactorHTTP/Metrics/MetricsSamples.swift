internal import ReactorCoding
internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// Samples of some metrics of this process in the last hour, for charts that begin with a past.
///
/// Its memory is fixed: one number per metric and interval.
final class MetricsSamples: Sendable {
  /// The seconds between two samples.
  static let interval = 10

  /// The number of samples that are retained: those of an hour.
  static let count = 360

  /// The metrics, summed over their labels.
  static let names = [
    "reactord_actions_total", "reactord_mutations_total", "reactord_effect_failures_total",
    "reactord_effects_running", "reactord_timers_fired_total", "reactord_sessions",
    "reactord_subscribers", "reactord_streams", "reactord_stream_deliveries_total",
    "reactord_commit_duration_seconds_sum", "reactord_commit_duration_seconds_count",
    "process_resident_memory_bytes",
  ]

  private struct State {
    /// The samples of all metrics at one interval after the other, as a ring; not a number where none was taken.
    var values = [Double](
      repeating: .nan, count: MetricsSamples.count * MetricsSamples.names.count)
    /// The number of the first interval, counted from the creation, and that of the latest one, or `nil` before
    /// the first sample.
    var intervals: ClosedRange<Int>?
    var latest = Timestamp(milliseconds: 0)
  }

  private let state = Mutex(State())
  private let stopwatch = Stopwatch()

  /// The number of the current interval.
  private var now: Int { stopwatch.microseconds / (Self.interval * 1_000_000) }

  /// Records the sample of the current interval, unless it was recorded.
  ///
  /// Any thread may call this.
  func take(from sources: [any MetricsSource]) { take(from: sources, in: now, at: .now) }

  /// Records the sample of an interval, unless it or that of a later one was recorded.
  func take(from sources: [any MetricsSource], in interval: Int, at time: Timestamp) {
    guard state.withLock({ $0.intervals.map { interval > $0.upperBound } ?? true }) else { return }
    var text = MetricsText(summing: Self.names)
    for source in sources { source.write(to: &text) }
    let sums = text.sums ?? [:]
    state.withLock { state in
      let last = state.intervals?.upperBound ?? interval - 1
      guard interval > last else { return }
      // Intervals without a sample, during which the process was not scheduled.
      for missed in max(last + 1, interval - Self.count + 1)...interval {
        for index in Self.names.indices {
          state.values[Self.position(missed, index)] =
            missed == interval ? sums[Self.names[index]] ?? .nan : .nan
        }
      }
      let first = max(state.intervals?.lowerBound ?? interval, interval - Self.count + 1)
      state.intervals = first...interval
      state.latest = time
    }
  }

  private static func position(_ interval: Int, _ metric: Int) -> Int {
    interval % count * names.count + metric
  }

  /// The samples as JSON; see the contract.
  var json: JSONValue {
    state.withLock { state in
      let series = Self.names.enumerated().map { index, name in
        JSONValue.Member(
          name,
          .array(
            (state.intervals.map(Array.init) ?? []).map {
              JSONNumber(state.values[Self.position($0, index)]).map { .number($0) } ?? .null
            }))
      }
      return [
        "interval": .number(JSONNumber(Self.interval)),
        "latest": state.intervals == nil ? .null : .string(state.latest.description),
        "series": .object(series),
      ]
    }
  }
}
