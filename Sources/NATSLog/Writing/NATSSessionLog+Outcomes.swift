internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// Lookups of outcomes of idempotency keys.
extension NATSSessionLog {
  /// The maximum number of ends of the log that a lookup follows, if the end is replaced
  /// repeatedly.
  private static let attempts = 4

  /// The outcome of a key, from memory: `nil` if the log must be read, `.some(nil)` if the key has
  /// no outcome.
  func knownOutcome(of name: String) -> StoredOutcome?? {
    let now = Clock.milliseconds
    return state.withLock { state in
      if let recent = state.outcomes.recent(name) { return .some(recent) }
      return state.claim == nil ? nil : state.outcomes.known(name, at: now)
    }
  }

  /// Looks a key up, and reads the log as far as that is needed.
  ///
  /// Lookups at the same time share their reads.
  func readOutcome(of name: String) async throws(LogError) -> StoredOutcome? {
    if state.withLock({ $0.claim == nil }) { _ = try await readHead() }
    var attempts = 0
    var generation: Int?
    while true {
      if let known = knownOutcome(of: name) { return known }
      let (reads, current, hasClaim) = state.withLock { state in
        let reads = state.outcomeReads ?? SharedRead()
        state.outcomeReads = reads
        return (reads, state.outcomes.generation, state.claim != nil)
      }
      if current != generation { (generation, attempts) = (current, attempts + 1) }
      // The claim can be missing: a read does not set it while a write is in progress.
      guard hasClaim, attempts <= Self.attempts else { break }
      try await reads.join { [self] () async throws(LogError) in
        try await readOutcomes(for: name)
      }
    }
    return try await withClaim { head async throws(LogError) in
      let earlier = try await outcomes(of: head)
      return state.withLock { $0.outcomes.recent(name) } ?? earlier[name]
    }
  }

  /// Executes the read that the lookup of a key needs next.
  private func readOutcomes(for name: String) async throws(LogError) {
    let (claim, missing, search, generation) = state.withLock {
      ($0.claim, $0.outcomes.missing(for: name), $0.outcomes.search, $0.outcomes.generation)
    }
    guard let claim, let missing else { return }
    let start = Clock.milliseconds
    do throws(LogError) {
      try await read(missing, of: claim, search, generation)
    } catch {
      // The messages that the claim names may be replaced by an anchor.
      guard store.reader.mayBeOutdated(error, since: start) else { throw error }
      try await withClaim { head async throws(LogError) in
        try await read(missing, of: head, nil, generation)
      }
    }
  }

  private func read(
    _ missing: SessionOutcomes.Missing, of head: SessionHead, _ search: OutcomeSearch?,
    _ generation: Int
  ) async throws(LogError) {
    switch missing {
    case .keys:
      let keys = try await history.keys(of: head)
      state.withLock { $0.outcomes.didRead(keys, for: generation) }
    case .outcomes:
      var search = search ?? OutcomeSearch(of: head, bound: PagedKeys.bound)
      try await history.proceed(&search, since: store.oldestOutcome)
      state.withLock { [search] in $0.outcomes.didRead(search, for: generation) }
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
