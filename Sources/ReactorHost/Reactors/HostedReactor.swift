/// A reactor as its clients know it: by name, in JSON.
public protocol HostedReactor: AnyObject, Sendable {
  /// The name in every address.
  var name: String { get }

  /// One sentence for people.
  var summary: String { get }

  /// What the reactor takes and gives, as JSON texts.
  var description: ReactorDescription { get }

  /// Gives a session, loading or making it where needed.
  ///
  /// - Parameters:
  ///   - id: The session's id; the caller has checked it.
  ///   - intent: What to do where it is not there.
  ///   - completion: Called at once or later, on any thread. What it is given stays in memory for
  ///     as long as somebody holds it.
  func session(
    _ id: String, for intent: SessionIntent,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void)

  /// A session that is in memory; `nil` where it is not, or nobody knows it.
  ///
  /// Any thread.
  func liveSession(_ id: String) -> (any Session)?

  /// Makes a session whose history is another one's up to a version.
  ///
  /// - Parameters:
  ///   - source: The other session, which must be there.
  ///   - version: The last version that is taken; `nil` for the current one.
  ///   - id: The new session's id, which must be free.
  ///   - completion: Called at once or later, on any thread.
  func fork(
    _ source: String, at version: Int?, to id: String,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void)

  /// Ends a session, whether it is in memory, stored, or neither.
  func endSession(
    _ id: String, completion: @escaping @Sendable (Result<Void, SessionError>) -> Void)

  /// The sessions that have not ended, in ascending order of their ids' bytes.
  func sessions(after id: String?, limit: Int) throws(SessionError) -> [SessionSummary]

  /// Folds a session's stored log anew, twice, and compares the folds with each other and with its
  /// snapshots. It loads nothing and changes nothing.
  ///
  /// - Throws: Where the log cannot be read.
  func refold(_ id: String) throws(LogError) -> RefoldReport

  /// Lets sessions that nobody used since the call before leave memory. A host calls this from time
  /// to time.
  func sweep()

  /// How many sessions are in memory.
  var liveSessionCount: Int { get }
}

/// What a reactor takes and gives, each as JSON.
public struct ReactorDescription: Sendable {
  /// The JSON Schema of an action.
  public let actionSchema: [UInt8]

  /// The JSON Schema of a mutation.
  public let mutationSchema: [UInt8]

  /// The JSON Schema of a state.
  public let stateSchema: [UInt8]

  /// The state of a new session.
  public let initialState: [UInt8]

  /// Actions to try.
  public let exampleActions: [[UInt8]]
}

/// What a request wants of a session that is not there.
public enum SessionIntent: Sendable {
  /// Use it: made in memory if sessions are made implicitly.
  case use

  /// Make it unless it is there.
  case ensure

  /// Make it; fail where it is there.
  case create
}

/// A session that a request got.
public struct OpenedSession: Sendable {
  /// The session.
  public let session: any Session

  /// Whether this request stored it anew.
  public let wasCreated: Bool
}

/// Why there is no session.
public enum SessionError: Error, Equatable, Sendable {
  /// It was never made, and the request does not make one.
  case unknown

  /// It was ended.
  case ended

  /// It is there already.
  case exists

  /// The session does not have the version.
  case history(HistoryError)

  /// So many sessions are in memory that there is no room for another.
  case tooMany

  /// The log did not do its part.
  case log(LogError)
}
