internal import ReactorLog
internal import Synchronization

/// Finds the outcome of an earlier request with an idempotency key: one that is being executed, whose
/// outcome is awaited, or one whose outcome the log has stored.
struct IdempotencyLookup: Sendable {
  let session: LiveSession
  /// Called when the actions of an earlier request that is being executed are durable.
  var accepted: (@Sendable (CommittedState) -> Void)?
  /// Called when the lookup waits for the outcome of an earlier request.
  var willWait: (@Sendable () -> Void)?
  /// Whether the lookup waits.
  var waits = false

  /// Finds the outcome of an earlier request with a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - completion: Called with the outcome; with `nil` if there is none, and the key is claimed.
  ///     Called on the calling thread, unless an earlier State is folded.
  func find(
    orClaim key: IdempotencyKey, completion: @escaping @Sendable (ActionOutcome?) -> Void
  ) {
    let use = session.commits.withLock { $0.use(of: key) }
    guard case .free(let releases) = use else { return join(key, completion) }
    do throws(LogError) {
      if let stored = try session.log.outcome(of: key.name), !isExpired(stored) {
        return replay(stored, for: key, completion)
      }
    } catch {
      return completion(.notCommitted(error))
    }
    if session.commits.withLock({ $0.claim(key, at: releases) }) { return completion(nil) }
    // Another request has claimed or released the key meanwhile.
    find(orClaim: key, completion: completion)
  }

  /// Waits for the outcome of the request with the key that is being executed.
  private func join(
    _ key: IdempotencyKey, _ completion: @escaping @Sendable (ActionOutcome?) -> Void
  ) {
    guard waits else {
      guard case .executing(let other) = session.commits.withLock({ $0.use(of: key) }) else {
        return find(orClaim: key, completion: completion)
      }
      return completion(other == key ? .running : .keyReused)
    }
    let repetition = CommitMachine<ActionReply>.Repetition(
      accepted: { [accepted, session] in accepted?(session.current) },
      completion: { first in
        switch first?.outcome {
        case .committed(let state): completion(.replayed(.committed(state)))
        case .failed(let index, let error, let cursor):
          completion(.replayed(.failed(index: index, error, at: cursor)))
        // The first request was not executed, and its key is free.
        case nil, .mismatch, .overloaded:
          session.environment.sessions.load { find(orClaim: key, completion: completion) }
        case let outcome?: completion(outcome)
        }
      }, waitsNoLonger: { completion(.running) })
    switch session.commits.withLock({ $0.join(key, repetition) }) {
    case .free: find(orClaim: key, completion: completion)
    case .otherBody: completion(.keyReused)
    case .waits(let isAccepted, let other):
      other?.waitsNoLonger()
      if isAccepted { accepted?(session.current) }
      willWait?()
    }
  }

  private func replay(
    _ stored: StoredOutcome, for key: IdempotencyKey,
    _ completion: @escaping @Sendable (ActionOutcome?) -> Void
  ) {
    guard stored.key.body == key.body else { return completion(.keyReused) }
    // The outcome is stored, but the reply of the first request may still wait for the publication
    // of the batch.
    if case .executing = session.commits.withLock({ $0.use(of: key) }) {
      return join(key, completion)
    }
    if let failure = stored.failure {
      let cursor = Cursor(epoch: session.epoch, version: stored.version)
      return completion(
        .replayed(.failed(index: failure.index, failure.error, at: cursor)))
    }
    let current = session.current
    guard stored.version <= current.version else { return confirm(stored, completion) }
    guard stored.version != current.version else {
      return completion(.replayed(.committed(current)))
    }
    // The fold of an earlier State takes many times as long as an action.
    session.environment.background.start { [session] in
      do throws(HistoryError) {
        completion(.replayed(.committed(try await session.state(at: stored.version))))
      } catch {
        switch error {
        // Retention has removed the version. The current version contains the mutations as well.
        case .unknownVersion: completion(.replayed(.committed(session.current)))
        case .log(let error): completion(.notCommitted(error))
        }
      }
    }
  }

  /// The log has an outcome that the session lacks: another process has continued the session, and owns it.
  private func confirm(
    _ stored: StoredOutcome, _ completion: @escaping @Sendable (ActionOutcome?) -> Void
  ) {
    do throws(LogError) {
      try SessionHandOver(session: session).confirmOwner()
      let current = session.current
      completion(
        current.version >= stored.version
          ? .replayed(.committed(current))
          : .notCommitted(.unavailable("The session is older than its log.")))
    } catch .lost(let owner) {
      completion(.displaced(by: owner))
    } catch {
      completion(.notCommitted(error))
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
