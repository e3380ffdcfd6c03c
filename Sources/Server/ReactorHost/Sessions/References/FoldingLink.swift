internal import ReactorCore
internal import ReactorLog
internal import ReactorSessions
internal import ReactorStreams

/// The link of an instance that only folds a log, which sends and observes nothing: what `reduce` sent
/// in the session was sent then.
private struct FoldingLink: SessionLink {
  func send(
    _ action: [UInt8], to session: SessionKey, from sender: SessionKey,
    expecting expectation: SendExpectation
  ) -> Observable<[UInt8]> { .never() }

  func follow(
    _ session: SessionKey, receive: @escaping @Sendable (Result<[UInt8], any Error>) -> Void
  ) -> any Disposable { Disposables.create() }

  func followSubscribers(
    of session: SessionKey, receive: @escaping @Sendable (Presence) -> Void
  ) -> any Disposable { Disposables.create() }

  func declare(_ type: any Any.Type, of session: SessionKey, by sender: SessionKey) {}
}

extension SessionScope {
  /// The scope of an instance that only folds the log of the session.
  var folding: SessionScope {
    SessionScope(key, parameters: parameters, logger: logger, link: FoldingLink())
  }
}
