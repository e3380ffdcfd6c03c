internal import Synchronization

/// Idempotency keys: a request that was sent before is not run again.
extension LiveSession {
  /// What a request gets that is not to be run, because one of its key was run or is running.
  ///
  /// Where there was none, the key is the caller's from now on.
  func outcome(insteadOfRunning key: IdempotencyKey) -> ActionOutcome? {
    while true {
      let (running, settled) = book.withLock { ($0.keys[key.name], $0.settledKeys) }
      if let running { return running == key ? .running : .keyReused }
      do throws(LogError) {
        if let kept = try log.outcome(of: key.name), !isExpired(kept) {
          guard kept.key == key else { return .keyReused }
          // Kept, yet its commit may still be on its way through this session.
          let isRunning = book.withLock { $0.keys[key.name] != nil }
          return isRunning ? .running : .replayed(try replay(kept))
        }
      } catch {
        return .notCommitted(error)
      }
      let isTaken = book.withLock { book in
        // Whatever was settled since the log was read may have been this very key.
        guard book.keys[key.name] == nil, book.settledKeys == settled else { return false }
        book.keys[key.name] = key
        return true
      }
      if isTaken { return nil }
    }
  }

  /// The answer that was given, once more.
  private func replay(_ kept: KeptOutcome) throws(LogError) -> ActionOutcome {
    if let failure = kept.failure {
      let cursor = Cursor(epoch: epoch, version: kept.version)
      return .failed(index: failure.index, failure.error, at: cursor)
    }
    do throws(HistoryError) {
      return .committed(try state(at: kept.version))
    } catch {
      switch error {
      // Retention has removed that moment. The current one contains the actions as well.
      case .unknownVersion: return .committed(current)
      case .log(let error): throw error
      }
    }
  }

  /// Whether an answer was kept for as long as it was to be.
  ///
  /// One of the future, which a clock that was set back has left, counts as new.
  private func isExpired(_ kept: KeptOutcome) -> Bool {
    let age = Timestamp.now.milliseconds - kept.at.milliseconds
    return .milliseconds(age) >= environment.settings.idempotency
  }
}
