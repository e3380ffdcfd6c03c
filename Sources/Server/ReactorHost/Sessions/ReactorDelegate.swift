internal import ReactorCoding
public import ReactorCore
public import ReactorLog
internal import Synchronization

/// Decisions about a hosted reactor that are not part of its state.
///
/// ```swift
/// struct CartDelegate: ReactorDelegate {
///   typealias Reactor = CartReactor
///
///   func authorize(_ access: Access<CartReactor.Action>) throws {
///     guard access.principal?.id == access.session.id else { throw Forbidden() }
///   }
/// }
///
/// ReactorRegistration("cart", summary: "A cart", delegate: CartDelegate()) { CartReactor() }
/// ```
public protocol ReactorDelegate<Reactor>: Sendable {
  /// The reactor that is hosted.
  associatedtype Reactor: ReactorCore.Reactor

  /// Decides whether a client's request is permitted, after the rights of the configuration.
  ///
  /// Called before an action is enqueued; before a state, log or stream is served; and before a
  /// session is created, forked or ended. Called for each action of an array, before the first one
  /// is executed. A response to an action or a creation contains the State only if `read` is
  /// permitted, too, which is a second call. Not called for actions that a reactor sends itself, and not again for an accepted
  /// action that runs again after a crash.
  ///
  /// A decision can depend on the State, see ``Access/state(of:)``. The service asks again for open streams when
  /// the configuration changes, not after each commit.
  ///
  /// Called on the thread of the request: it must be quick and must not block. The default permits
  /// everything.
  ///
  /// - Throws: Any error rejects the request with 403; ``Forbidden`` can state the reason.
  func authorize(_ access: Access<Reactor.Action>) throws

  /// Whether ``didCommit(_:from:in:)`` is called; `false` by default.
  ///
  /// If `true`, the States of the reactor's sessions are encoded as for a subscriber.
  var observesCommits: Bool { get }

  /// A session has committed a State.
  ///
  /// Called if ``observesCommits`` is `true`: at most once per commit, outside the turns of the
  /// session, in order and one call at a time per session. A delegate that falls behind gets the
  /// newest State; `old` is the State of the previous call, or the State with which the session was
  /// loaded. A crash loses calls: work that must not miss a commit reads ``Host/changes(after:)``.
  ///
  /// - Parameters:
  ///   - state: The State, decoded from its JSON.
  ///   - old: The State of the previous call, or of the load of the session.
  ///   - session: The session.
  func didCommit(_ state: Reactor.State, from old: Reactor.State, in session: SessionKey)
}

extension ReactorDelegate {
  /// Permits everything.
  public func authorize(_ access: Access<Reactor.Action>) throws {}

  /// `false`.
  public var observesCommits: Bool { false }

  /// Does nothing.
  public func didCommit(
    _ state: Reactor.State, from old: Reactor.State, in session: SessionKey
  ) {}
}

/// A client's request to one session, as a delegate decides on it.
public struct Access<Action: Sendable>: Sendable {
  /// The kinds of requests.
  public enum Request: Sendable {
    /// Serves the state, the log, the effects or a stream, and the state in the response to an action or
    /// a creation; also decides whether a list contains the session.
    case read
    /// Executes an action.
    case act(Action)
    /// Publishes a signal to the session's subscribers.
    case signal
    /// Creates the session unless it exists.
    case create
    /// Creates the session with the history of another one.
    case fork(from: SessionKey)
    /// Ends the session.
    case end
    /// Manages the session in another way, such as the cancellation of an effect.
    case manage
  }

  /// The request.
  public let request: Request

  /// The session; it need not exist.
  public let session: SessionKey

  /// The authenticated user or service, or `nil` for an anonymous request.
  public let principal: Principal?

  private let facts: AccessFacts

  /// Creates an access; a host or a test calls this.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - session: The session.
  ///   - principal: The principal, or `nil` for an anonymous request.
  ///   - state: The State of the session, or `nil` if it does not exist.
  ///   - parameters: The parameters of the session that the request creates, as JSON.
  public init(
    _ request: Request, to session: SessionKey, by principal: Principal?,
    state: (any Sendable)? = nil, parameters: [UInt8]? = nil
  ) {
    self.init(
      request, to: session, by: principal,
      AccessFacts(parameters: parameters) {
        state.map { .value($0) }
      })
  }

  init(
    _ request: Request, to session: SessionKey, by principal: Principal?, _ facts: AccessFacts
  ) {
    self.request = request
    self.session = session
    self.principal = principal
    self.facts = facts
  }

  /// Returns the committed State of the session, or `nil` if the session does not exist.
  ///
  /// The State of a session in memory is decoded by the first call, once per request. For another session the
  /// call throws an error, which the delegate passes on: the service then opens the session, as the request does
  /// anyway, and asks again. A list opens no sessions, and so omits those.
  ///
  /// - Parameter reactor: The reactor of the delegate.
  /// - Returns: The State.
  /// - Throws: An error that the delegate passes on.
  public func state<R: Reactor>(of reactor: R.Type) throws -> R.State?
  where R.Action == Action, R.State: Decodable & Sendable {
    try facts.state(as: R.State.self)
  }

  /// Returns the parameters of the session that the request creates (`create`, `fork`), or `nil` for the default ones
  /// and for other requests.
  ///
  /// - Parameter type: The type of the parameters.
  /// - Returns: The parameters.
  /// - Throws: If they are not of the type.
  public func parameters<Parameters: Decodable>(as type: Parameters.Type) throws -> Parameters? {
    try facts.parameters.map { try JSONCoder.decode(type, from: $0) }
  }
}

/// The facts about the session of a request that a delegate may ask for.
final class AccessFacts: Sendable {
  /// A State.
  enum Found: Sendable {
    case json([UInt8])
    case value(any Sendable)
  }

  private struct State {
    /// The decoded State, or `nil` before the first search.
    var decoded: Result<(any Sendable)?, any Error>?
  }

  let parameters: [UInt8]?
  private let find: @Sendable () throws -> Found?
  private let state = Mutex(State())

  init(parameters: [UInt8]?, find: @escaping @Sendable () throws -> Found?) {
    self.parameters = parameters
    self.find = find
  }

  /// Returns the State, or `nil` if the session does not exist; decodes it once.
  func state<Value: Decodable & Sendable>(as type: Value.Type) throws -> Value? {
    if let known = state.withLock({ $0.decoded }) { return try known.get() as? Value }
    let decoded = Result { () throws -> Value? in
      switch try find() {
      case nil: return nil
      case .json(let json)?: return try JSONCoder.decode(type, from: json)
      case .value(let value)?:
        guard let value = value as? Value else {
          throw Forbidden("The State is not of the type \(type).")
        }
        return value
      }
    }
    state.withLock { $0.decoded = decoded.map { value -> (any Sendable)? in value } }
    return try decoded.get()
  }

  /// Throws if a delegate needed the State of a session that is not in memory, also if the delegate has caught the
  /// error.
  func checkState() throws {
    if case .failure(let error as StateNotInMemory)? = state.withLock({ $0.decoded }) {
      throw error
    }
  }
}

/// A delegate needs the State of a session that is not in memory: open the session, and ask again.
public struct StateNotInMemory: Error {
  /// Creates the error.
  public init() {}
}

/// The error of a request that a delegate does not permit.
public struct Forbidden: Error, Equatable, Sendable {
  /// The detail of the response, or `nil` for a general one.
  public let reason: String?

  /// Creates an error.
  public init(_ reason: String? = nil) {
    self.reason = reason
  }
}

/// A client's request to one session, with its actions as JSON.
public enum SessionAccess: Sendable {
  /// See ``Access/Request``.
  case read
  /// The actions as in the body of the request: one action, or an array.
  case act([UInt8])
  /// See ``Access/Request``.
  case signal
  /// See ``Access/Request``.
  case create
  /// See ``Access/Request``.
  case fork(from: SessionKey)
  /// See ``Access/Request``.
  case end
  /// See ``Access/Request``.
  case manage
}

/// A request that the delegate of a reactor decides on.
struct AuthorizedRequest {
  let access: SessionAccess
  let session: SessionKey
  let principal: Principal?
  /// The maximum number of actions.
  let limit: Int
  let parameters: [UInt8]?
  /// Returns the session in memory, or `nil` for one that is not.
  let find: @Sendable () -> FoundSession?
}

/// Throws if a reactor's delegate does not permit a request.
typealias Authorizer = @Sendable (AuthorizedRequest) throws -> Void
