/// What a session writes at once: all of it is committed together, or none.
///
/// Mostly that is entries alone. An action whose effect goes on is put into the journal of accepted
/// actions with the entries that it has caused so far, and taken out with its last ones; the answer
/// that an idempotency key stands for is kept with what it answers. So there is no moment at which a
/// crash could leave one without the other.
public struct LogBatch: Equatable, Sendable {
  /// The mutations, in order and without a gap.
  public var entries: [LogEntry]

  /// Actions that go on, each put in place of what the journal has under its id.
  public var accepted: [AcceptedAction]

  /// Actions that have ended; the journal forgets them.
  public var finished: [AcceptedAction.ID]

  /// Answers to be kept, each in place of what was kept under its key.
  public var outcomes: [KeptOutcome]

  /// Makes a batch.
  public init(
    _ entries: [LogEntry] = [], accepted: [AcceptedAction] = [],
    finished: [AcceptedAction.ID] = [], outcomes: [KeptOutcome] = []
  ) {
    self.entries = entries
    self.accepted = accepted
    self.finished = finished
    self.outcomes = outcomes
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool {
    entries.isEmpty && accepted.isEmpty && finished.isEmpty && outcomes.isEmpty
  }
}

/// An action that the host has taken on and not finished: run again should the process end before.
public struct AcceptedAction: Equatable, Sendable {
  /// Names an action within the journal of its session.
  public struct ID: Hashable, Sendable {
    /// The request that it came with: the later one has the greater number.
    public let request: Int

    /// Its place among the actions of the request.
    public let place: Int

    /// Names an action.
    public init(request: Int, place: Int) {
      self.request = request
      self.place = place
    }
  }

  /// Its name in the journal.
  public let id: ID

  /// The action, as JSON.
  public let action: [UInt8]

  /// Whether it came in an array, so that a failure names its place.
  public let isInArray: Bool

  /// The idempotency key of its request.
  public let key: IdempotencyKey?

  /// When it was started last.
  public var at: Timestamp

  /// How many starts in a row have come to nothing; the first counts.
  public var runs: Int

  /// How it ended, where others of its request go on and the answer is to tell of this one.
  public var failure: ActionFailure?

  /// Makes an action of the journal.
  public init(
    id: ID, action: [UInt8], isInArray: Bool, key: IdempotencyKey?, at: Timestamp, runs: Int = 1,
    failure: ActionFailure? = nil
  ) {
    self.id = id
    self.action = action
    self.isInArray = isInArray
    self.key = key
    self.at = at
    self.runs = runs
    self.failure = failure
  }
}

/// The answer that an idempotency key stands for.
///
/// It is kept as the version that was answered, not as the State: that can be folded again, and a
/// large one is not stored once more for each key.
public struct KeptOutcome: Equatable, Sendable {
  /// The key and what it was used for.
  public let key: IdempotencyKey

  /// When it was answered.
  public let at: Timestamp

  /// The version of the answer's State.
  public let version: Int

  /// How the actions failed; `nil` where they did not.
  public let failure: ActionFailure?

  /// Makes an answer.
  public init(key: IdempotencyKey, at: Timestamp, version: Int, failure: ActionFailure?) {
    self.key = key
    self.at = at
    self.version = version
    self.failure = failure
  }
}
