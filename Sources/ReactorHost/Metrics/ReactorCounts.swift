/// What is counted of one hosted reactor.
final class ReactorCounts: Sendable {
  let actions = Counter()
  let mutations = Counter()
  let commitSizes = Histogram.ofSizes()
  let commitTimes = Histogram.ofTimes()
  /// Errors of `mutate`.
  let effectFailures = Counter()
  /// Errors of the reactor's streams: what a `transform` ended with.
  let streamFailures = Counter()
  let logFailures = LogFailureCounts()
}

/// The log's refusals, by reason.
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

/// What the sessions of a reactor that are in memory do at one moment.
struct SessionLoad {
  var sessions = 0
  var subscribers = 0
  var effects = 0
  /// Work that waits for its session's turn.
  var waiting = 0
}
