internal import ReactorLog
internal import Synchronization

/// Finds the outcome of an earlier request with an idempotency key: one that is being executed, or
/// one whose outcome the log has stored.
struct IdempotencyLookup {
  let session: LiveSession

  /// The outcome of an earlier request with a key; `nil` if there is none, and the key is claimed.
  func outcome(orClaim key: IdempotencyKey) -> ActionOutcome? {
    while true {
      let use = session.commits.withLock { $0.use(of: key) }
      guard case .free(let releases) = use else { return outcome(of: use, for: key) }
      do throws(LogError) {
        if let stored = try session.log.outcome(of: key.name), !isExpired(stored) {
          guard stored.key == key else { return .keyReused }
          // Stored, but the reply of the first request may still wait for its publication.
          if case .executing = session.commits.withLock({ $0.use(of: key) }) { return .running }
          return .replayed(try replay(stored))
        }
      } catch {
        return .notCommitted(error)
      }
      if session.commits.withLock({ $0.claim(key, at: releases) }) { return nil }
    }
  }

  private func outcome(
    of use: CommitMachine<ActionReply>.KeyUse, for key: IdempotencyKey
  ) -> ActionOutcome? {
    guard case .executing(let other) = use else { return nil }
    return other == key ? .running : .keyReused
  }

  private func replay(_ stored: StoredOutcome) throws(LogError) -> ActionOutcome {
    if let failure = stored.failure {
      let cursor = Cursor(epoch: session.epoch, version: stored.version)
      return .failed(index: failure.index, failure.error, at: cursor)
    }
    do throws(HistoryError) {
      return .committed(try session.state(at: stored.version))
    } catch {
      switch error {
      // Retention has removed the version. The current one contains the mutations as well.
      case .unknownVersion: return .committed(session.current)
      case .log(let error): throw error
      }
    }
  }

  /// Whether an outcome is older than `actions.idempotency`.
  ///
  /// One of the future, which a clock that was set back has left, is new.
  private func isExpired(_ stored: StoredOutcome) -> Bool {
    let age = Timestamp.now.milliseconds - stored.at.milliseconds
    return .milliseconds(age) >= session.environment.settings.idempotency
  }
}
