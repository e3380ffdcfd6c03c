internal import ReactorLog
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
  let logFailures = LogFailureCounts()
}

/// The number of rejected commits, by reason.
final class LogFailureCounts: Sendable {
  private let full = Counter()
  private let conflict = Counter()
  private let unavailable = Counter()
  private let corrupt = Counter()

  func add(_ error: LogError) {
    switch error {
    case .full: full.add()
    case .conflict: conflict.add()
    case .unavailable: unavailable.add()
    case .corrupt, .unreadable: corrupt.add()
    }
  }

  var values: [(reason: String, count: Int)] {
    [
      ("full", full.value), ("conflict", conflict.value), ("unavailable", unavailable.value),
      ("corrupt", corrupt.value),
    ]
  }
}

/// The current figures of the sessions of a reactor.
struct SessionLoad {
  var sessions = 0
  var subscribers = 0
  var effects = 0
  /// Items in mailboxes.
  var waiting = 0
}
