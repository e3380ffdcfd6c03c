internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// The counters of one hosted reactor.
final class ReactorCounts: Sendable {
  let actions = Counter()
  let mutations = Counter()
  let commitSizes = Histogram.ofSizes()
  let commitTimes = Histogram.ofTimes()
  /// Errors of `mutate`.
  let effectFailures = Counter()
  /// Errors of the streams that a `transform` returned.
  let streamFailures = Counter()
  /// Mutations whose second fold differs, see ``Impurity``.
  let impureMutations = Counter()
  let hasLoggedImpurity = Atomic<Bool>(false)
  let timersFired = Counter()
  /// The time from the due time of a timer to the execution of its action.
  let timerLateness = Histogram.ofTimes()
  let logFailures = LogFailureCounts()
  /// The sessions in memory.
  let sessions = Atomic<Int>(0)
  /// The streams that show a session.
  let subscribers = Atomic<Int>(0)
  /// The requests that wait for a turn of their session.
  let waiting = Atomic<Int>(0)

  /// Records a committed batch: the number of its mutations, and the time since the log requested
  /// it.
  func didCommit(_ count: Int, after stopwatch: Stopwatch) {
    mutations.add(count)
    commitSizes.record(count)
    commitTimes.record(stopwatch.microseconds)
  }
}

/// The number of rejected commits, by reason.
final class LogFailureCounts: Sendable {
  private let full = Counter()
  private let conflict = Counter()
  private let unavailable = Counter()
  private let unknown = Counter()
  private let tooLarge = Counter()
  private let corrupt = Counter()

  func add(_ error: LogError) {
    switch error {
    case .full: full.add()
    case .lost: conflict.add()
    case .unavailable, .beyondShare: unavailable.add()
    case .unknown: unknown.add()
    case .tooLarge: tooLarge.add()
    case .corrupt, .unreadable: corrupt.add()
    }
  }

  var values: [(reason: String, count: Int)] {
    [
      ("full", full.value), ("conflict", conflict.value), ("unavailable", unavailable.value),
      ("unknown", unknown.value), ("too_large", tooLarge.value), ("corrupt", corrupt.value),
    ]
  }
}
