/// What goes into the log with the next batch, besides its mutations.
struct BatchNotes: Sendable {
  /// What the journal is to have, each under its id.
  var accepted: [AcceptedAction.ID: AcceptedAction] = [:]

  /// What the journal is to forget.
  private(set) var finished: [AcceptedAction.ID] = []

  /// What became of requests with a key, and when, by their names.
  var outcomes: [String: (key: IdempotencyKey, at: Timestamp, failure: ActionFailure?)] = [:]

  /// Whether somebody waits for a batch, whatever is in it.
  var isEmpty: Bool { accepted.isEmpty && finished.isEmpty && outcomes.isEmpty }

  /// Has the journal forget an action.
  mutating func finish(_ id: AcceptedAction.ID) {
    accepted[id] = nil
    finished.append(id)
  }

  /// The batch that these go with.
  func batch(_ entries: [LogEntry], version: Int) -> LogBatch {
    guard !isEmpty else { return LogBatch(entries) }
    return LogBatch(
      entries,
      accepted: accepted.values.sorted {
        ($0.id.request, $0.id.place) < ($1.id.request, $1.id.place)
      },
      finished: finished,
      outcomes: outcomes.values.map { outcome in
        KeptOutcome(
          key: outcome.key, at: outcome.at, version: version, failure: outcome.failure)
      })
  }
}

extension LiveSession.Book {
  /// What has to be done when a batch is committed, or was refused.
  typealias Continuation = @Sendable (_ isCommitted: Bool) -> Void

  /// Does something when the batch is committed that is given to the log next.
  mutating func whenNextBatchIsCommitted(_ proceed: @escaping Continuation) {
    awaiting.append((batches + 1, proceed))
  }

  /// Does something when all is committed that has happened so far.
  ///
  /// - Returns: Whether there is anything to wait for; where not, nothing is called.
  mutating func whenAllIsCommitted(_ proceed: @escaping Continuation) -> Bool {
    guard end == nil else { return false }
    if !(pendingEntries.isEmpty && notes.isEmpty) {
      whenNextBatchIsCommitted(proceed)
    } else if batches > committedBatches {
      // Nothing is to follow the batch that is on its way, so nobody waits for a later one. One that
      // is committed and just being told of has told everybody who waited for it.
      awaiting.append((batches, proceed))
    } else {
      return false
    }
    return true
  }

  /// Writes down what became of a request that the log knows of, or is to know of.
  ///
  /// - Returns: The batch that says so; 0 where none need to.
  mutating func conclude(_ request: ActionRequest) -> Int {
    let journal = request.journal
    guard request.key != nil || !journal.isEmpty else { return 0 }
    for id in journal { notes.finish(id) }
    if let key = request.key {
      notes.outcomes[key.name] = (key, .now, request.failure)
    }
    return batches + 1
  }

  /// Counts one more start of a request's actions, which is to be durable before they are.
  mutating func restart(_ request: InterruptedRequest) {
    if let key = request.key { keys[key.name] = key }
    let now = Timestamp.now
    let runs = request.runs(before: now) + 1
    for action in request.unfinished {
      var action = action
      action.runs = runs
      action.at = now
      notes.accepted[action.id] = action
    }
  }

  /// Takes out what has to be done now that a batch is committed.
  mutating func takeAwaited() -> [Continuation] {
    guard !awaiting.isEmpty else { return [] }
    let due = awaiting.prefix { $0.batch <= committedBatches }.map { $0.proceed }
    awaiting.removeFirst(due.count)
    return due
  }
}
