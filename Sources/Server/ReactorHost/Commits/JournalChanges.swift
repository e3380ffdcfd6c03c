internal import ReactorLog

/// The changes of the action journal and of the stored outcomes that the next batch commits.
struct JournalChanges: Sendable {
  /// Actions to add or replace, by id.
  var accepted: [AcceptedAction.ID: AcceptedAction] = [:]

  /// Actions to remove.
  private(set) var finished: [AcceptedAction.ID] = []

  /// Outcomes of requests with an idempotency key, which belongs to one request at a time.
  var outcomes: [(key: IdempotencyKey, at: Timestamp, failure: ActionFailure?)] = []

  /// Timers to set or to remove, by id.
  var timers: [String: StoredTimerChange] = [:]

  /// Failures to store, the oldest first.
  private(set) var failures: [StoredFailure] = []

  /// The ids of stored failures to remove.
  var settled: [String] = []

  /// Whether there are no changes.
  var isEmpty: Bool {
    accepted.isEmpty && finished.isEmpty && outcomes.isEmpty && timers.isEmpty && failures.isEmpty
      && settled.isEmpty
  }

  /// Stores a failure; a further one than the log retains replaces the oldest.
  mutating func add(_ failure: StoredFailure) {
    if failures.count == StoredFailure.limit { failures.removeFirst() }
    failures.append(failure)
  }

  /// Removes an action from the journal.
  mutating func finish(_ id: AcceptedAction.ID) {
    accepted[id] = nil
    finished.append(id)
  }

  /// Creates the batch of these changes and of log entries.
  ///
  /// - Parameters:
  ///   - entries: The mutations of the batch.
  ///   - version: The session's version after the batch.
  /// - Returns: The batch.
  func batch(_ entries: [LogEntry], version: Int) -> LogBatch {
    guard !isEmpty else { return LogBatch(entries) }
    return LogBatch(
      entries,
      accepted: accepted.values.sorted {
        ($0.id.request, $0.id.place) < ($1.id.request, $1.id.place)
      },
      finished: finished,
      outcomes: outcomes.map { outcome in
        StoredOutcome(
          key: outcome.key, at: outcome.at, version: version, failure: outcome.failure)
      },
      timers: Array(timers.values), failures: failures, settled: settled)
  }
}
