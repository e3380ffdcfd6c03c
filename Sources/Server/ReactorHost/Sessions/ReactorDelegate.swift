public import ReactorCore
public import ReactorLog

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

  /// Creates an access; a host or a test calls this.
  public init(_ request: Request, to session: SessionKey, by principal: Principal?) {
    self.request = request
    self.session = session
    self.principal = principal
  }
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

/// Throws if a reactor's delegate does not permit a request; the last parameter is the maximum
/// number of actions.
typealias Authorizer = @Sendable (SessionAccess, SessionKey, Principal?, Int) throws -> Void
