/// The changes that a session commits together: all or none of them are stored.
///
/// Most batches contain only entries. An action with an unfinished effect is added to the journal
/// together with its first entries, and removed together with its last ones; the outcome of an
/// idempotency key is stored with the entries of its request; a timer is set together with the entries
/// of its turn, and removed together with those of its action. So a crash never separates them.
public struct LogBatch: Equatable, Sendable {
  /// The mutations, in order and without gaps.
  public var entries: [LogEntry]

  /// The unfinished actions to add to the journal; each replaces the action with the same id.
  public var accepted: [AcceptedAction]

  /// The actions to delete from the journal.
  public var finished: [AcceptedAction.ID]

  /// The outcomes to store; each replaces the outcome of the same key.
  public var outcomes: [StoredOutcome]

  /// The timers to set or to remove, at most one change per id.
  public var timers: [StoredTimerChange]

  /// The failures to store, in the order of their times; at most ``StoredFailure/limit``.
  public var failures: [StoredFailure]

  /// The ids of the stored failures to remove.
  public var settled: [String]

  /// The marks of values that the session has received, and that caused no mutation of their own; stored
  /// with the entries.
  public var received: [LogEntry.GlobalMark] = []

  /// The parameters of the session, as JSON; stored if the batch creates the session, otherwise
  /// ignored.
  public var parameters: [UInt8]?

  /// Creates a batch.
  public init(
    _ entries: [LogEntry] = [], accepted: [AcceptedAction] = [],
    finished: [AcceptedAction.ID] = [], outcomes: [StoredOutcome] = [],
    timers: [StoredTimerChange] = [], failures: [StoredFailure] = [], settled: [String] = []
  ) {
    self.entries = entries
    self.accepted = accepted
    self.finished = finished
    self.outcomes = outcomes
    self.timers = timers
    self.failures = failures
    self.settled = settled
  }

  /// Whether the batch has no changes.
  public var isEmpty: Bool {
    entries.isEmpty && accepted.isEmpty && finished.isEmpty && outcomes.isEmpty && timers.isEmpty
      && failures.isEmpty && settled.isEmpty
  }
}

/// An accepted action in the journal: it runs again if the process ends before it finishes.
public struct AcceptedAction: Equatable, Sendable {
  /// The name of an action within the journal of its session.
  public struct ID: Hashable, Sendable {
    /// The number of its request; later requests have greater numbers.
    public let request: Int

    /// Its index among the actions of the request.
    public let place: Int

    /// Creates an id.
    public init(request: Int, place: Int) {
      self.request = request
      self.place = place
    }
  }

  /// Its name in the journal.
  public let id: ID

  /// The action, as JSON.
  public let action: [UInt8]

  /// Whether it was sent in an array, so that a failure includes its index.
  public let isInArray: Bool

  /// The idempotency key of its request.
  public let key: IdempotencyKey?

  /// The principal of its request, as JSON, or `nil` for an anonymous request.
  public let principal: [UInt8]?

  /// The context of its request, as JSON, or `nil` if an earlier release has accepted it.
  public var context: [UInt8]?

  /// The time of its last start.
  public var at: Timestamp

  /// The number of starts without a result, the first included.
  public var runs: Int

  /// The name under which its effects send actions to other sessions, which is chosen with the
  /// first send, or `nil` before.
  ///
  /// The idempotency keys of these actions are derived from it.
  public var sendName: String?

  /// Its failure, stored until the other actions of its request finish.
  public var failure: ActionFailure?

  /// Creates an accepted action.
  public init(
    id: ID, action: [UInt8], isInArray: Bool, key: IdempotencyKey?, principal: [UInt8]? = nil,
    context: [UInt8]? = nil, at: Timestamp, runs: Int = 1, failure: ActionFailure? = nil,
    sendName: String? = nil
  ) {
    self.id = id
    self.action = action
    self.isInArray = isInArray
    self.key = key
    self.principal = principal
    self.context = context
    self.at = at
    self.runs = runs
    self.failure = failure
    self.sendName = sendName
  }
}

/// The outcome of a request with an idempotency key.
///
/// It contains the version of the response's State instead of the State, which can be folded again.
public struct StoredOutcome: Equatable, Sendable {
  /// The key of the request.
  public let key: IdempotencyKey

  /// The time of the response.
  public let at: Timestamp

  /// The version of the State in the response.
  public let version: Int

  /// The failure of the actions, or `nil` for none.
  public let failure: ActionFailure?

  /// Creates an outcome.
  public init(key: IdempotencyKey, at: Timestamp, version: Int, failure: ActionFailure?) {
    self.key = key
    self.at = at
    self.version = version
    self.failure = failure
  }
}
