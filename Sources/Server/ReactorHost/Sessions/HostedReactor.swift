public import ReactorCore
public import ReactorLog

/// A reactor as its clients know it: by name, in JSON.
public protocol HostedReactor: AnyObject, Sendable {
  /// The name in addresses.
  var name: String { get }

  /// One sentence for people.
  var summary: String { get }

  /// The address of a page that uses the reactor, or `nil` for none.
  var examplePage: String? { get }

  /// The schemas and examples of the reactor.
  var description: ReactorDescription { get }

  /// Whether the reactor was registered with a delegate.
  var hasDelegate: Bool { get }

  /// The projection of its States, or `nil` if each client sees all of them.
  var projector: StateProjector? { get }

  /// Whether none of its code is executed, because it crashed the process three times in a minute.
  var isQuarantined: Bool { get }

  /// Checks with the reactor's delegate that a client's request is permitted.
  ///
  /// - Parameters:
  ///   - access: The request.
  ///   - id: The session's id.
  ///   - principal: The principal of the request, or `nil` for an anonymous one.
  ///   - parameters: The parameters of a session that the request creates, see ``normalize(parameters:)``.
  ///   - known: The session, if the caller has opened it.
  /// - Throws: An error if it is not permitted; `ActionDecodingError` if its actions cannot be decoded;
  ///   ``StateNotInMemory`` if the decision needs the State of a session that is neither known nor in memory.
  func authorize(
    _ access: SessionAccess, of id: String, for principal: Principal?, parameters: [UInt8]?,
    knowing known: FoundSession?) throws

  /// Validates a client's parameters, and returns them in the form that is stored.
  ///
  /// - Throws: If they do not fit, or the reactor takes none.
  func normalize(parameters: [UInt8]) throws(ActionDecodingError) -> [UInt8]

  /// Opens a session, and loads or creates it if necessary.
  ///
  /// Blocks on the disk if the log reads from disk, like the other functions that may load a session.
  ///
  /// - Parameters:
  ///   - id: The session's id, which the caller has validated.
  ///   - intent: Whether to create the session.
  ///   - parameters: The parameters of a session that is created, see ``normalize(parameters:)``, or
  ///     `nil` for the default.
  /// - Returns: The session, which remains in memory while it is retained.
  /// - Throws: If it cannot be opened.
  func session(
    _ id: String, for intent: SessionIntent, parameters: [UInt8]?
  ) async throws(SessionError) -> OpenedSession

  /// Finds a session for reading, and loads it if necessary; creates none.
  ///
  /// - Parameter id: The session's id, which the caller has validated.
  /// - Returns: The session, or the State with which it would begin.
  /// - Throws: ``SessionError/unknown`` if the session does not exist and `sessions.create` is `explicit`.
  func findSession(_ id: String) async throws(SessionError) -> FoundSession

  /// Finds the source of a session's streams; creates no session.
  ///
  /// The source of a session that does not exist has the State with which it would begin. When the session is created, the
  /// source publishes its States.
  ///
  /// - Parameter id: The session's id, which the caller has validated.
  /// - Returns: The source.
  /// - Throws: The errors of ``findSession(_:)``.
  func streamSource(_ id: String) async throws(SessionError) -> any SessionSource

  /// Returns the source of a session's streams if it is in memory: the session, or the source of a
  /// session that does not exist and has other streams. Any thread.
  func liveStreamSource(_ id: String) -> (any SessionSource)?

  /// Returns the session with an id if it is in memory. Any thread.
  func liveSession(_ id: String) -> (any Session)?

  /// Executes actions of a session in the process that owns it, without opening the session first.
  ///
  /// Uses one message instead of two: the owner opens the session and then executes the actions. If
  /// it cannot open the session, the outcome is ``ActionOutcome/notOpened(_:)``; actions that
  /// cannot be decoded are ``ActionOutcome/invalid(_:)``.
  ///
  /// - Parameters:
  ///   - id: The session's id, which the caller has validated.
  ///   - body: The JSON.
  ///   - expected: See ``Session/submit(_:ifAt:key:for:accepted:completion:)``, like the other parameters.
  ///   - key: The idempotency key of the request.
  ///   - context: The current request.
  ///   - accepted: Called if the effect of an action continues, with the State at that time.
  ///   - completion: Called once, on any thread.
  /// - Returns: `false` if this process executes the actions, and has to open the session; neither closure is
  ///   called then.
  func forward(
    to id: String, _ body: [UInt8], ifAt expected: [Cursor]?, key: String?,
    for context: RequestContext?, accepted: @escaping @Sendable (CommittedState) -> Void,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) -> Bool

  /// Creates a session with the history of another one up to a version.
  ///
  /// - Parameters:
  ///   - source: The id of the other session, which must exist.
  ///   - version: The last version to copy, or `nil` for the current one.
  ///   - id: The id of the new session, which must not exist.
  ///   - parameters: The parameters of the new session, or `nil` for those of the other session. With
  ///     different parameters, the complete copied log is folded: all of its entries must be
  ///     retained.
  /// - Returns: The new session.
  /// - Throws: If it cannot be created.
  func fork(
    _ source: String, at version: Int?, to id: String, parameters: [UInt8]?
  ) async throws(SessionError) -> OpenedSession

  /// Ends a session, whether it is in memory, stored, or neither.
  func endSession(_ id: String) async throws(SessionError)

  /// Lists the sessions that have not ended, in ascending order of their ids' bytes.
  ///
  /// - Parameters:
  ///   - id: Only sessions after this id.
  ///   - limit: The maximum number of sessions.
  /// - Returns: The sessions.
  /// - Throws: If the log cannot be read. Blocks on the disk if the log reads from disk.
  func sessions(after id: String?, limit: Int) async throws(SessionError) -> [SessionSummary]

  /// Folds a session's stored log twice, and compares the folds with each other and with its
  /// snapshots, without loading or changing the session.
  ///
  /// For tools: it blocks while it reads the log.
  ///
  /// - Throws: If the log cannot be read.
  func refold(_ id: String) throws(LogError) -> RefoldReport

  /// Reads the State of a session at a cursor, as JSON, without loading the session.
  ///
  /// - Parameters:
  ///   - id: The session's id.
  ///   - cursor: The cursor.
  /// - Returns: The State, or `nil` if the session has ended, or the version is no longer retained.
  /// - Throws: If the log cannot be read.
  func storedState(_ id: String, at cursor: Cursor) async throws(LogError) -> [UInt8]?

  /// Finds the history of a stored session without loading the session, for a session that cannot
  /// be loaded.
  ///
  /// Blocks on the disk if the log reads from disk.
  ///
  /// - Parameter id: The session's id, which the caller has validated.
  /// - Returns: The history, or `nil` if no session with the id is stored.
  /// - Throws: If the log cannot be read.
  func storedHistory(_ id: String) throws(LogError) -> (any HistorySource)?

  /// Evicts the sessions that were not used since the last call. A host calls this periodically.
  func sweep()

  /// Evicts idle sessions of the clients with the most bytes while sessions in memory must release some.
  func relieveMemory()

  /// The number of sessions in memory.
  var liveSessionCount: Int { get }

  /// Returns whether this release can decode an action that is stored, as JSON.
  func canDecode(action: [UInt8]) -> Bool

  /// The latest 100 errors of effects in this process that a request waited for, and at most 100 accepted
  /// actions, due timers and sessions that this release cannot decode; the latest first.
  var failedEffects: [FailedEffect] { get }

  /// Lists the stored failures of actions that no request waited for, the latest first.
  ///
  /// Blocks on the disk if the log reads from disk.
  func storedFailures() throws(LogError) -> [StoredFailure]
}

extension HostedReactor {
  /// Returns the session if it is in memory.
  public func liveStreamSource(_ id: String) -> (any SessionSource)? { liveSession(id) }

  /// Returns `false`: this process executes the actions.
  public func forward(
    to id: String, _ body: [UInt8], ifAt expected: [Cursor]?, key: String?,
    for context: RequestContext?, accepted: @escaping @Sendable (CommittedState) -> Void,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) -> Bool { false }

  /// Opens a session, which has the default parameters if it is created.
  public func session(
    _ id: String, for intent: SessionIntent
  ) async throws(SessionError) -> OpenedSession {
    try await session(id, for: intent, parameters: nil)
  }

  /// Creates a session with the history and the parameters of another one.
  public func fork(
    _ source: String, at version: Int?, to id: String
  ) async throws(SessionError) -> OpenedSession {
    try await fork(source, at: version, to: id, parameters: nil)
  }
}

/// The schemas and examples of a reactor, as JSON.
public struct ReactorDescription: Sendable {
  /// The parameters of a reactor's sessions.
  public struct Parameters: Sendable {
    /// The JSON Schema.
    public let schema: [UInt8]

    /// The parameters of a session that is created without any, or `nil` if they are required.
    public let `default`: [UInt8]?

    /// Parameters to try.
    public let example: [UInt8]?
  }

  /// The JSON Schema of an action.
  public let actionSchema: [UInt8]

  /// The JSON Schema of a mutation.
  public let mutationSchema: [UInt8]

  /// The JSON Schema of a state, or of the views of a projected reactor.
  public internal(set) var stateSchema: [UInt8]

  /// The JSON Schema of the members `code` and `data` in the problems of the errors that the reactor
  /// declares, or `nil` if it declares none.
  public internal(set) var errorSchema: [UInt8]?

  /// The state of a new session, with the example or default parameters; `null` if there are none, and for a
  /// projected reactor.
  public internal(set) var initialState: [UInt8]

  /// Actions to try.
  public let exampleActions: [[UInt8]]

  /// The parameters of its sessions, or `nil` if it takes none.
  public let parameters: Parameters?
}

/// The intent of a request that opens a session.
public enum SessionIntent: Sendable {
  /// Use the session. If `sessions.create` is `implicit`, a missing session is created in memory
  /// only.
  case use

  /// Create the session unless it exists.
  case ensure

  /// Create the session; fail if it exists.
  case create
}

/// A session that a request has opened.
public struct OpenedSession: Sendable {
  /// The session.
  public let session: any Session

  /// Whether the request has created it in the log.
  public let wasCreated: Bool

  package init(session: any Session, wasCreated: Bool) {
    self.session = session
    self.wasCreated = wasCreated
  }
}

/// A session that a request reads.
public enum FoundSession: Sendable {
  /// It exists, and is in memory.
  case open(any Session)

  /// It does not exist. The value is the State with which it would begin.
  case absent(CommittedState)
}

/// The error of a request for a session.
public enum SessionError: Error, Equatable, Sendable {
  /// It does not exist, and the request does not create it.
  case unknown

  /// It has ended.
  case ended

  /// It exists.
  case exists

  /// It does not exist, and its reactor requires parameters.
  case needsParameters

  /// It exists, with other parameters.
  case otherParameters

  /// The session does not have the version.
  case history(HistoryError)

  /// The maximum number of sessions is in memory.
  case tooMany

  /// Its mailbox is full: the request was not executed.
  case overloaded

  /// Loading the session crashed the process.
  case quarantined

  /// The code of the reactor crashed the process three times in a minute.
  case reactorQuarantined

  /// An error of the log.
  case log(LogError)
}
