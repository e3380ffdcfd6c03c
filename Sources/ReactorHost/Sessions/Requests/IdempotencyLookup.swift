internal import ReactorLog
internal import Synchronization

/// Finds the outcome of an earlier request with an idempotency key: one that is being executed, or
/// one whose outcome the log has stored.
///
/// If the log reads outcomes asynchronously, requests of other connections can enter the mailbox
/// meanwhile.
struct IdempotencyLookup: Sendable {
  let session: LiveSession

  /// Finds the outcome of an earlier request with a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - completion: Called with the outcome; with `nil` if there is none, and the key is claimed.
  ///     Called on the calling thread, unless the log reads the outcome asynchronously or an earlier
  ///     State is folded.
  func find(
    orClaim key: IdempotencyKey, completion: @escaping @Sendable (ActionOutcome?) -> Void
  ) {
    let use = session.commits.withLock { $0.use(of: key) }
    guard case .free(let releases) = use else { return completion(outcome(of: use, for: key)) }
    session.log.outcome(of: key.name) { result in
      switch result {
      case .success(let stored?) where !isExpired(stored):
        replay(stored, for: key, completion)
      case .success:
        if session.commits.withLock({ $0.claim(key, at: releases) }) { return completion(nil) }
        // Another request has claimed or released the key meanwhile.
        find(orClaim: key, completion: completion)
      case .failure(let error): completion(.notCommitted(error))
      }
    }
  }

  private func outcome(
    of use: CommitMachine<ActionReply>.KeyUse, for key: IdempotencyKey
  ) -> ActionOutcome? {
    guard case .executing(let other) = use else { return nil }
    return other == key ? .running : .keyReused
  }

  private func replay(
    _ stored: StoredOutcome, for key: IdempotencyKey,
    _ completion: @escaping @Sendable (ActionOutcome?) -> Void
  ) {
    guard stored.key == key else { return completion(.keyReused) }
    // The outcome is stored, but the reply of the first request may still wait for the publication
    // of the batch.
    if case .executing = session.commits.withLock({ $0.use(of: key) }) {
      return completion(.running)
    }
    if let failure = stored.failure {
      let cursor = Cursor(epoch: session.epoch, version: stored.version)
      return completion(
        .replayed(.failed(index: failure.index, failure.error, at: cursor)))
    }
    let current = session.current
    guard stored.version != current.version else {
      return completion(.replayed(.committed(current)))
    }
    // The fold of an earlier State takes many times as long as an action.
    session.environment.sessions.load { [session] in
      session.state(at: stored.version) { state in
        switch state {
        case .success(let state): completion(.replayed(.committed(state)))
        // Retention has removed the version. The current version contains the mutations as well.
        case .failure(.unknownVersion): completion(.replayed(.committed(session.current)))
        case .failure(.log(let error)): completion(.notCommitted(error))
        }
      }
    }
  }

  /// Returns whether an outcome is older than `actions.idempotency`.
  ///
  /// An outcome with a time in the future, which was stored before the clock was set back, is not
  /// expired.
  private func isExpired(_ stored: StoredOutcome) -> Bool {
    let age = Timestamp.now.milliseconds - stored.at.milliseconds
    return .milliseconds(age) >= session.environment.settings.idempotency
  }
}
