public import ReactorCore
public import ReactorLog

/// The error of a send to another session, or of the stream of its States.
public enum SessionSendError: ActionError, Equatable {
  /// No reactor is hosted under the name.
  case unknownReactor(SessionKey)

  /// The text is not the id of a session.
  case invalidID(SessionKey)

  /// The session does not exist, and `sessions.create` is `explicit`.
  case unknownSession(SessionKey)

  /// The session does not exist, and its reactor requires parameters.
  case needsParameters(SessionKey)

  /// The session was deleted.
  case ended(SessionKey)

  /// The JSON is not an action of the reactor.
  case invalidAction(SessionKey, detail: String)

  /// The mailbox of the session is full, or too many sessions are in memory.
  case overloaded(SessionKey)

  /// The client whose request caused the send has created as many sessions as `limits.sessions` permits per
  /// hour, and this one does not exist.
  case tooManyCreations(SessionKey)

  /// The send is the 33rd of a chain of sends.
  case tooDeep(SessionKey)

  /// The log rejected the mutations, or the session cannot be read.
  case log(SessionKey, LogError)

  /// The maximum length of a chain of sends.
  public static let depthLimit = 32

  /// The session that was sent to.
  public var session: SessionKey {
    switch self {
    case .unknownReactor(let session), .invalidID(let session), .unknownSession(let session),
      .needsParameters(let session), .ended(let session), .invalidAction(let session, _),
      .overloaded(let session), .tooManyCreations(let session), .tooDeep(let session),
      .log(let session, _):
      session
    }
  }

  /// The status that a client of the other session would get.
  public var status: Int {
    switch self {
    case .invalidID: 400
    case .unknownReactor, .unknownSession: 404
    case .ended: 410
    case .needsParameters, .invalidAction: 422
    case .tooManyCreations: 429
    case .overloaded: 503
    case .tooDeep: 508
    case .log(_, .full): 507
    case .log(_, .lost), .log(_, .unavailable), .log(_, .beyondShare), .log(_, .unknown),
      .log(_, .unreadable):
      503
    case .log(_, .corrupt), .log(_, .tooLarge): 500
    }
  }

  /// A short sentence for people.
  public var title: String {
    switch self {
    case .unknownReactor: "No such reactor"
    case .invalidID: "Not a session id"
    case .unknownSession: "No such session"
    case .needsParameters: "The session needs parameters"
    case .ended: "The session has ended"
    case .invalidAction: "Not an action of this reactor"
    case .overloaded: "The session is not available"
    case .tooManyCreations: "Too many sessions were created"
    case .tooDeep: "The chain of sends is too long"
    case .log(_, .full): "The storage is full"
    case .log(_, .unreadable): "The session is not readable by this release"
    case .log: "The session is not available"
    }
  }

  /// The other session and the cause.
  public var detail: String? {
    switch self {
    case .invalidID:
      "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ - and neither . nor .. itself."
    case .invalidAction(let session, let detail): "\(session): \(detail)"
    case .tooManyCreations(let session):
      """
      \(session) does not exist, and you have created as many sessions as this service allows per hour \
      (limits.sessions).
      """
    case .tooDeep(let session):
      """
      \(session) would be the \(Self.depthLimit + 1)th session of a chain in which each sends to the \
      next. Sessions that send to each other without end are a defect of their reactors.
      """
    default: "\(title): \(session)."
    }
  }
}
