package import ReactorCoding
package import ReactorCore
package import ReactorLog
package import ReactorStreams

/// How long a send waits.
public enum SendExpectation: Sendable {
  /// Until all effects of the action have ended and all of its mutations are committed; at most
  /// `actions.wait`, after which the stream emits the State of that moment, like the response 202.
  case effects

  /// Until the mutations of the action's own turn are committed. Its effects continue.
  case commit

  /// As ``commit``, but the stream completes without the State, which is not decoded.
  case accepted

  /// Whether the stream emits the State.
  var hasState: Bool {
    if case .accepted = self { false } else { true }
  }
}

/// Connects a reactor to other sessions: implemented by a host, and by the recorder of a test.
package protocol SessionLink: Sendable {
  /// Returns a stream that sends an action when it is subscribed to.
  ///
  /// - Parameters:
  ///   - action: The action, as JSON.
  ///   - session: The other session.
  ///   - sender: The session that sends it.
  ///   - expectation: How long to wait.
  /// - Returns: The stream: the State as JSON, or no element for ``SendExpectation/accepted``. It emits on any
  ///   thread.
  func send(
    _ action: [UInt8], to session: SessionKey, from sender: SessionKey,
    expecting expectation: SendExpectation
  ) -> Observable<[UInt8]>

  /// Observes the States of a session.
  ///
  /// - Parameters:
  ///   - session: The other session.
  ///   - receive: Called with each State as JSON, one call at a time; a failure is the last call.
  /// - Returns: A disposable that ends the observation.
  func follow(
    _ session: SessionKey, receive: @escaping @Sendable (Result<[UInt8], any Error>) -> Void
  ) -> any Disposable

  /// Observes the subscribers of the session whose reactor calls it.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - receive: Called with each presence, in a turn of the session.
  /// - Returns: A disposable that ends the observation.
  func followSubscribers(
    of session: SessionKey, receive: @escaping @Sendable (Presence) -> Void
  ) -> any Disposable

  /// Declares a typed reference, which `Host.firstMissingReference()` checks.
  func declare(_ type: any Any.Type, of session: SessionKey, by sender: SessionKey)

  /// Returns the cached JSON of recurring actions of a type, which all references share, or `nil` if
  /// it is not cached.
  func texts<Action: Encodable>(of type: Action.Type) -> JSONMemo<Action>?
}

extension SessionLink {
  package func texts<Action: Encodable>(of type: Action.Type) -> JSONMemo<Action>? { nil }
}

extension ObserverType<[UInt8]> {
  /// Receives the result of a send: the State as JSON, unless the sender does not expect it.
  package func receive(_ result: Result<[UInt8], any Error>, for expectation: SendExpectation) {
    switch result {
    case .success(let state):
      if expectation.hasState { on(.next(state)) }
      on(.completed)
    case .failure(let error): on(.error(error))
    }
  }
}

extension Optional<RequestContext> {
  /// Returns the context of an action that is sent to another session on behalf of a request, or of
  /// none.
  package func sending(to session: SessionKey, from sender: SessionKey) -> RequestContext {
    var context = RequestContext(
      id: self?.id ?? "to-\(session.reactor)-\(session.id)", traceparent: self?.traceparent,
      principal: self?.principal, origin: .session(reactor: sender.reactor, id: sender.id))
    context.depth = (self?.depth ?? 0) + 1
    context.account = self?.account
    context.isExempt = self?.isExempt ?? false
    context.isUnattended = self?.isUnattended ?? true
    return context
  }
}
