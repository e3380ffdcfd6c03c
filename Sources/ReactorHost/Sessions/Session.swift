public import ReactorCore

/// One running instance of a reactor, as its clients know it: in JSON.
public protocol Session: StateSource {
  /// The session's address.
  var key: SessionKey { get }

  /// The name of its history.
  var epoch: String { get }

  /// When it last changed, or was made.
  var lastActiveAt: Timestamp { get }

  /// Runs an action, or an array of actions in order.
  ///
  /// A request that is named by a key and has been run before is not run again: `completion` gets
  /// what became of it then.
  ///
  /// - Parameters:
  ///   - body: The JSON. It is decoded whole before any of it runs.
  ///   - expected: The action runs only if the session is at one of these points; `nil` where it
  ///     runs at any.
  ///   - key: The idempotency key of the request; `nil` for none.
  ///   - context: What the actions and their effects find as the current request.
  ///   - accepted: Called once the actions have entered and an effect of theirs goes on, when that is
  ///     as durable as the store is: what runs is run again should the process end before. Not
  ///     called where all is done at once, or refused.
  ///   - completion: Called once, when every mutation of the actions is committed or the first
  ///     failure is known and all have ended. Any thread, the calling one included.
  /// - Throws: ``ActionDecodingError``, and then neither closure is called.
  func submit(
    _ body: [UInt8], ifAt expected: [Cursor]?, key: String?, for context: RequestContext?,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError)

  /// The log entries after a version, at most `limit`.
  func entries(after version: Int, limit: Int) throws(HistoryError) -> [LogEntry]

  /// The effects that run now.
  var activity: SessionActivity { get }

  /// Tells an observer of the activity: soon as it is, and then whenever it is another one.
  func observeActivity(_ observer: any ActivityObserver)

  /// Tells an observer of the activity nothing more.
  func stopObservingActivity(_ observer: any ActivityObserver)

  /// Lists effects that run, in the session's turn.
  ///
  /// - Parameters:
  ///   - id: The list begins behind this one; `nil` for the first.
  ///   - limit: How many are listed at most.
  ///   - completion: Gets the effects, the earliest first; `nil` where too many requests wait. Any
  ///     thread, the calling one included.
  func effects(
    after id: String?, limit: Int, completion: @escaping @Sendable ([RunningEffect]?) -> Void)

  /// Ends an effect as if it had completed, in the session's turn.
  ///
  /// What is committed of it stays, and whoever waits for its action is answered. One that has ended
  /// is left as it is.
  ///
  /// - Parameters:
  ///   - id: What names the effect.
  ///   - completion: Called when that is durable: the action is not run again. Any thread, the
  ///     calling one included.
  func cancelEffect(
    _ id: String, completion: @escaping @Sendable (EffectCancellation) -> Void)

  /// How many streams watch the session.
  var subscriberCount: Int { get }
}

/// A state that no crash takes back, as far as the store can promise it.
public struct CommittedState: Sendable {
  /// The point of the session's history.
  public let cursor: Cursor

  /// The state, as JSON.
  public let json: [UInt8]

  /// Makes a state.
  public init(cursor: Cursor, json: [UInt8]) {
    self.cursor = cursor
    self.json = json
  }

  /// How many mutations the state contains.
  public var version: Int { cursor.version }
}

/// Told of the commits of a session or a global, one after the other and in order.
public protocol SessionObserver: AnyObject, Sendable {
  /// A version was committed. Called for each one, on the thread that finished the commit, which
  /// must not be held up.
  func sessionDidCommit(_ state: CommittedState)

  /// No commit follows.
  func sessionDidEnd(_ end: SessionEnd)
}

/// How a session in memory came to its end.
public enum SessionEnd: Sendable, Equatable {
  /// It was deleted.
  case deleted

  /// It was put out of memory because the log refused it; the session itself goes on.
  case interrupted
}

/// What became of a request's actions.
public enum ActionOutcome: Sendable {
  /// All is committed; the state contains it.
  case committed(CommittedState)

  /// An action failed; what it committed before stays.
  ///
  /// The index tells which one of an array it was; `nil` where a single action was sent. The cursor
  /// is of a point that contains what the actions committed.
  case failed(index: Int?, any Error, at: Cursor)

  /// The request was run before, under the same key, and this became of it then.
  indirect case replayed(ActionOutcome)

  /// The request was sent before, under the same key, and still runs.
  case running

  /// The key stands for a request with another body.
  case keyReused

  /// The session is at another point than the request expects. Nothing ran.
  case mismatch(CommittedState)

  /// Too many requests wait in the session's mailbox. Nothing ran.
  case overloaded

  /// The session was deleted, before or while the actions ran.
  case ended

  /// The log refused what was to be committed. What is not in the log did not happen.
  case notCommitted(LogError)
}

/// Why a body is no action.
public enum ActionDecodingError: Error, Sendable {
  /// It is not JSON.
  case malformed(offset: Int, reason: String)

  /// It is JSON, and not an action.
  case invalid(pointer: String, expected: [String], detail: String)
}

/// Why a moment of the past cannot be had.
public enum HistoryError: Error, Equatable, Sendable {
  /// It has not come yet, or retention removed it. What can be had is told.
  case unknownVersion(oldest: Int, latest: Int)

  /// The log could not be read.
  case log(LogError)
}

/// Reads states from the log, a few at a time, in constant memory.
public protocol StateReplay: AnyObject, Sendable {
  /// The next states, at most `limit`; empty when the log ends here for now.
  func next(limit: Int) throws(HistoryError) -> [CommittedState]
}
