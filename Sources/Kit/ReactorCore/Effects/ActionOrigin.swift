/// The sender of an action.
///
/// ```swift
/// case .expire:
///   guard case .timer = ActionOrigin.current else { return .error(Rejection.notForClients) }
/// ```
public indirect enum ActionOrigin: Hashable, Sendable, Codable {
  /// A client's request.
  case client

  /// Another session: the name of its reactor, and its id.
  ///
  /// The principal is the one of the request that led to the send.
  case session(reactor: String, id: String)

  /// A timer of the session.
  case timer(id: String)

  /// The reactor itself: `transform(action:)` has created the action.
  case reactor

  /// The sender of the action whose `mutate` or effect is the current code.
  ///
  /// Read it before the code changes to a detached task or another scheduler, where it is ``reactor``.
  public static var current: ActionOrigin {
    RequestContext.current?.origin ?? .reactor
  }
}
