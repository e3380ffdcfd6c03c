internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// Lookups of outcomes of idempotency keys.
extension NATSSessionLog {
  /// The number of reads that a lookup makes while the end of the log is replaced again and again.
  private static let attempts = 4

  /// The outcome of a key if it is in memory: the inner optional.
  func knownOutcome(of name: String) -> StoredOutcome?? {
    state.withLock { state in
      if let recent = state.outcomes.recent(name) { return .some(recent) }
      return state.claim == nil ? nil : state.outcomes.known(name)
    }
  }

  /// Looks a key up, and reads the log as far as that is needed.
  ///
  /// Lookups at the same time share their reads.
  func readOutcome(of name: String) async throws(LogError) -> StoredOutcome? {
    if state.withLock({ $0.claim == nil }) { _ = try await readHead() }
    for _ in 0..<Self.attempts {
      if let known = knownOutcome(of: name) { return known }
      // It is not remembered while a write is under way.
      guard state.withLock({ $0.claim != nil }) else { break }
      let reads = state.withLock { state in
        let reads = state.outcomeReads ?? SharedRead()
        state.outcomeReads = reads
        return reads
      }
      try await reads.join { [self] () async throws(LogError) in try await readOutcomes() }
    }
    return try await withClaim { head async throws(LogError) in
      let earlier = try await outcomes(of: head)
      return state.withLock { $0.outcomes.recent(name) } ?? earlier[name]
    }
  }

  /// Reads what lookups need next.
  private func readOutcomes() async throws(LogError) {
    let (claim, missing, generation) = state.withLock {
      ($0.claim, $0.outcomes.missing, $0.outcomes.generation)
    }
    guard let claim, let missing else { return }
    let start = Clock.milliseconds
    do throws(LogError) {
      try await read(missing, of: claim, generation)
    } catch {
      // The messages that the claim names may be replaced by an anchor.
      guard store.reader.mayBeOutdated(error, since: start) else { throw error }
      try await withClaim { head async throws(LogError) in
        try await read(missing, of: head, generation)
      }
    }
  }

  private func read(
    _ missing: SessionOutcomes.Missing, of head: SessionHead, _ generation: Int
  ) async throws(LogError) {
    switch missing {
    case .keys:
      let keys = try await history.keys(of: head)
      state.withLock { $0.outcomes.didRead(keys, for: generation) }
    case .outcomes:
      let found = try await outcomes(of: head)
      state.withLock { $0.outcomes.didRead(found, for: generation) }
    }
  }

  /// The outcomes of the session, the latest 10,000 that are retained.
  private func outcomes(
    of head: SessionHead
  ) async throws(LogError) -> [String: StoredOutcome] {
    guard head.status == .stored else { return [:] }
    return try await history.outcomes(
      of: head, since: store.oldestOutcome, bound: PagedKeys.bound)
  }
}
