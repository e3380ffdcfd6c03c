public import ReactorCore
public import ReactorLog
public import ReactorSessions

/// The States of a session and the activity of its effects, for streams.
public protocol SessionSource: StateSource {
  /// The name of the session's history.
  var epoch: String { get }

  /// The effects that are running.
  var activity: SessionActivity { get }

  /// Adds an observer of the activity. It is notified of the current activity, and then of each
  /// change.
  func observeActivity(_ observer: any ActivityObserver)

  /// Removes an observer of the activity.
  func stopObservingActivity(_ observer: any ActivityObserver)

  /// The number of streams that show the session.
  var subscriberCount: Int { get }

  /// The subscribers at this moment. Its cost grows with the number of their names.
  ///
  /// At a node of a cluster that does not own the session, the subscribers of an event;
  /// ``subscribers(after:limit:)`` has the others.
  var presence: Presence { get }

  /// Lists the subscribers with a name, in the order of the bytes of their names.
  ///
  /// - Parameters:
  ///   - name: The list begins after this name; `nil` begins with the first.
  ///   - limit: The maximum number of subscribers. There can be fewer, because their names are long.
  /// - Returns: The page.
  /// - Throws: If the owner of the session, another process, does not respond.
  func subscribers(after name: String?, limit: Int) async throws(SessionError) -> PresencePage

  /// Adds an observer of the subscribers. It is notified within 250 ms, and then of changes.
  func observePresence(_ observer: any PresenceObserver)

  /// Removes an observer of the subscribers.
  func stopObservingPresence(_ observer: any PresenceObserver)

  /// Notifies the observers of signals, on this thread and without waiting for the session.
  func publish(_ signal: SessionSignal)

  /// Adds an observer of the signals that are published from now on.
  func observeSignals(_ observer: any SignalObserver)

  /// Removes an observer of signals.
  func stopObservingSignals(_ observer: any SignalObserver)
}

extension SessionSource {
  /// Lists the subscribers of ``presence``.
  public func subscribers(
    after name: String?, limit: Int
  ) async throws(SessionError) -> PresencePage {
    presence.page(after: name, limit: limit)
  }
}

/// The history of a session, read from its log.
public protocol HistorySource: Sendable {
  /// The parameters that the session was created with, as JSON, or `nil` if its reactor takes none.
  var parameters: [UInt8]? { get }

  /// The last version that clients may have in the form of another release, see
  /// ``StateSource/formerVersion``.
  var formerVersion: Int { get }

  /// Reads the state at a version.
  func state(at version: Int) async throws(HistoryError) -> CommittedState

  /// Reads the log entries after a version.
  ///
  /// - Parameters:
  ///   - version: The version before the first entry.
  ///   - limit: The maximum number of entries. There can be fewer, because they are large, or
  ///     because the next one cannot be read; only an empty result is the end.
  /// - Returns: The entries.
  /// - Throws: If the first one cannot be read.
  func entries(after version: Int, limit: Int) async throws(HistoryError) -> [LogEntry]
}

/// One running instance of a reactor, as its clients know it: in JSON.
public protocol Session: SessionSource, HistorySource {
  /// The key that the session is addressed by.
  var key: SessionKey { get }

  /// The time of its last commit, or of its creation.
  var lastActiveAt: Timestamp { get }

  /// Whether the log has the session: since its creation by a request, or its first commit.
  var isStored: Bool { get }

  /// Returns `true` once, after the first commit has stored a session that no request had created.
  func takeCreation() -> Bool

  /// Executes an action, or an array of actions in order.
  ///
  /// A request whose idempotency key was used before is not executed: `completion` gets the stored
  /// outcome, or that of the earlier request when it has ended. While its effects run, `accepted` is
  /// called as for the earlier request.
  ///
  /// - Parameters:
  ///   - body: The JSON. It is decoded completely before an action is executed.
  ///   - expected: The request is executed only if the session is at one of these cursors; `nil`
  ///     executes it at any.
  ///   - key: The idempotency key of the request, or `nil` for none.
  ///   - context: The current request of the actions and their effects.
  ///   - accepted: Called if the request does not end in its first turn, when its unfinished
  ///     actions are durable: they are executed again if the process ends before they do. Not
  ///     called if the request is rejected.
  ///   - completion: Called once, when all effects have ended and all mutations are committed. Any
  ///     thread, the calling one included.
  /// - Throws: ``ActionDecodingError``; neither closure is called then.
  func submit(
    _ body: [UInt8], ifAt expected: [Cursor]?, key: String?, for context: RequestContext?,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError)

  /// Lists running effects, in a turn of the session.
  ///
  /// - Parameters:
  ///   - id: The list begins after this effect; `nil` begins with the first.
  ///   - limit: The maximum number of effects.
  /// - Returns: The effects in the order of their start.
  /// - Throws: ``SessionError/overloaded`` if the mailbox is full.
  func effects(after id: String?, limit: Int) async throws(SessionError) -> [RunningEffect]

  /// Ends an effect as if it had completed, in a turn of the session.
  ///
  /// Its committed mutations stay, and the request of its action gets its response. An effect that
  /// has ended is ignored. Returns when the cancellation is durable: the action is not started again.
  ///
  /// - Parameter id: The effect.
  /// - Throws: ``SessionError/overloaded`` if the mailbox is full, and the effect was not cancelled; or the
  ///   error that ended the session before the cancellation was durable.
  func cancelEffect(_ id: String) async throws(SessionError)

  /// Runs the action of a stored failure again, in a turn of the session that removes the failure.
  ///
  /// The action is a new run of the reactor: its sends are executed again. If it fails, there is a new
  /// failure.
  ///
  /// - Parameters:
  ///   - failure: The failure.
  ///   - accepted: Called if an effect outlives the turn, when the action is durable.
  /// - Returns: The outcome, or `nil` if the failure was removed before.
  func runAgain(
    _ failure: StoredFailure, accepted: @escaping @Sendable (CommittedState) -> Void
  ) async -> ActionOutcome?

  /// Removes a stored failure, in a turn of the session, and returns when the removal is durable.
  ///
  /// - Parameter failure: The failure; one that was removed before is ignored.
  /// - Throws: As ``cancelEffect(_:)``.
  func dismiss(_ failure: StoredFailure) async throws(SessionError)

  /// Lists timers, in a turn of the session.
  ///
  /// - Parameters:
  ///   - position: The list begins after this position; `nil` begins with the first.
  ///   - limit: The maximum number of timers.
  /// - Returns: The timers in the order in which they are due, once they are durable.
  /// - Throws: As ``cancelEffect(_:)``.
  func timers(
    after position: TimerPosition?, limit: Int
  ) async throws(SessionError) -> [StoredTimer]

  /// Removes a timer, in a turn of the session, and returns when the removal is durable.
  ///
  /// - Parameter id: The timer; one that does not exist is ignored.
  /// - Throws: As ``cancelEffect(_:)``.
  func cancelTimer(_ id: String) async throws(SessionError)
}

extension Session {
  /// Returns without a run: another process owns the session.
  public func runAgain(
    _ failure: StoredFailure, accepted: @escaping @Sendable (CommittedState) -> Void
  ) async -> ActionOutcome? {
    .notCommitted(.elsewhere)
  }

  /// Throws: another process owns the session.
  public func dismiss(_ failure: StoredFailure) async throws(SessionError) {
    throw .log(.elsewhere)
  }
}

extension LogError {
  fileprivate static let elsewhere = LogError.unavailable("Another node owns the session.")
}

/// The outcome of a request's actions.
public enum ActionOutcome: Sendable {
  /// All mutations are committed, and the state contains them.
  case committed(CommittedState)

  /// An action failed. Its committed mutations stay.
  ///
  /// The index of the action in an array, or `nil` for a single action. The cursor's state contains the
  /// committed mutations.
  case failed(index: Int?, any Error, at: Cursor)

  /// The stored outcome of an earlier request with the same idempotency key.
  indirect case replayed(ActionOutcome)

  /// An earlier request with the same idempotency key is being executed, and more repetitions of it
  /// wait than a session retains.
  case running

  /// The idempotency key belongs to a request with another body.
  case keyReused

  /// The session is at another cursor than the request expects. No action was executed.
  case mismatch(CommittedState)

  /// The session's mailbox is full. No action was executed.
  case overloaded

  /// The session was deleted, before the request or while its actions were executed.
  case ended

  /// Another process owns the session, and nothing of the request is committed.
  ///
  /// Only in a host with a router, which executes the request at the owner: clients do not get it.
  case displaced(by: NodeID?)

  /// The owner, another process, could not decode the actions. No action was executed.
  case invalid(ActionDecodingError)

  /// The owner, another process, could not open the session. No action was executed.
  case notOpened(SessionError)

  /// The log rejected the mutations. The session does not contain the rejected mutations.
  case notCommitted(LogError)
}
