internal import ReactorCore
internal import ReactorLog
internal import Synchronization

extension HostedReactor {
  /// Creates a session with the current history of another one, and with its pending timers.
  ///
  /// Timers are not part of the log, so only the current version has timers. They are stored
  /// directly after the fork. If the process ends in between, the fork has no timers, and the
  /// request gets no response.
  ///
  /// - Parameters:
  ///   - source: The id of the other session, which must exist.
  ///   - id: The id of the new session, which must not exist.
  ///   - parameters: The parameters of the new session, or `nil` for those of the other one.
  ///   - completion: Called immediately or later, on any thread.
  public func forkWithTimers(
    _ source: String, to id: String, parameters: [UInt8]?,
    completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    findSession(source) { [self] result in
      switch result {
      case .success(.open(let session)):
        guard let session = session as? LiveSession else {
          return completion(.failure(.elsewhere))
        }
        fork(session, to: id, parameters, completion)
      case .success(.absent): completion(.failure(.unknown))
      case .failure(let error): completion(.failure(error))
      }
    }
  }

  private func fork(
    _ source: LiveSession, to id: String, _ parameters: [UInt8]?,
    _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
  ) {
    SessionTimers(session: source).readDurable { [self] current in
      guard let (version, timers) = current else {
        let reason = LogError.unavailable("The session cannot be read at present.")
        return completion(.failure(source.hasEnded ? .ended : .log(reason)))
      }
      fork(source.key.id, at: version, to: id, parameters: parameters) { result in
        guard case .success(let opened) = result, !timers.isEmpty else {
          return completion(result)
        }
        guard let session = opened.session as? LiveSession else {
          return completion(.failure(.elsewhere))
        }
        SessionTimers(session: session).adopt(timers) { error in
          completion(error.map { .failure(.log($0)) } ?? result)
        }
      }
    }
  }
}

extension SessionError {
  /// One of the two sessions belongs to another node of the cluster.
  fileprivate static let elsewhere = SessionError.log(
    .unavailable("Another node owns one of the sessions; only its own node copies timers."))
}
