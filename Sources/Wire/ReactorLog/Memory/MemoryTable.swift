internal import Synchronization

/// The sessions of a log in memory.
final class MemoryTable: Sendable {
  /// The globals, by name.
  let shared = Mutex<[String: SharedValue]>([:])
  /// The timers of all sessions.
  ///
  /// Its lock is taken last, also while the lock of a session is held.
  let timers = Mutex(TimerIndex())
  /// The sessions with unfinished actions.
  ///
  /// Its lock is taken last, also while the lock of a session is held.
  let unfinished = Mutex(OrderedKeys())
  /// The stored failures by reactor, the oldest first.
  ///
  /// Its lock is taken last, also while the lock of a session is held.
  let failures = Mutex<[String: [StoredFailure]]>([:])
  private let sessions = Mutex<[SessionKey: MemorySession]>([:])
  /// The ids of the stored sessions that have not ended, by reactor.
  ///
  /// A reactor has no index until its first list, so that a log without lists does not maintain
  /// one. The lock is taken before the others.
  private let index = Mutex<[String: OrderedIDs]>([:])
  private let retained: Int
  private let retention: RetentionRules
  /// How long the outcomes of idempotency keys are retained, in milliseconds.
  let outcomeRetention: Int64
  /// The changes of all sessions, or `nil` if they are not retained.
  let feed: MemoryFeed?
  /// The bytes of the histories.
  let budget: MemoryBudget

  /// Creates a table whose sessions retain outcomes for a number of milliseconds.
  init(
    retained: Int, retention: RetentionRules, outcomeRetention: Int64, feed: MemoryFeed?,
    budget: MemoryBudget
  ) {
    self.feed = feed
    self.budget = budget
    self.retained = retained
    self.retention = retention
    self.outcomeRetention = outcomeRetention
  }

  func find(_ key: SessionKey) -> MemorySession? {
    sessions.withLock { $0[key] }
  }

  /// Returns the session of a key, which is created if there is none and the budget has room for it.
  func findOrMake(_ key: SessionKey) -> MemorySession? {
    sessions.withLock { sessions in
      // Search the table once, whether the session exists or not.
      func value(of entry: inout MemorySession) -> MemorySession { entry }
      var isNew = false
      func make() -> MemorySession {
        isNew = true
        return MemorySession()
      }
      let session = value(of: &sessions[key, default: make()])
      guard isNew, !budget.reserve(MemoryBudget.sessionBytes + key.id.utf8.count) else {
        return session
      }
      sessions[key] = nil
      return nil
    }
  }

  /// Returns the minimum number of latest entries that are retained for each session of a reactor.
  func retained(of reactor: String) -> Int {
    if case .versions(let count) = retention[reactor] { count } else { retained }
  }

  /// Adds a session that was created to the index, or removes one that has ended.
  func updateIndex(_ key: SessionKey, _ session: MemorySession) {
    // Read the session's record under the lock, so that the last of several updates applies the
    // latest one.
    index.withLock { index in
      guard index[key.reactor] != nil else { return }
      if session.isStored {
        index[key.reactor]?.insert(key.id)
      } else {
        index[key.reactor]?.remove(key.id)
      }
    }
  }

  /// Returns the ids of the stored sessions of a reactor, in any order.
  private func storedIDs(of reactor: String) -> [String] {
    sessions.withLock { sessions in
      sessions.compactMap { $0.reactor == reactor && $1.isStored ? $0.id : nil }
    }
  }

  /// Returns the stored sessions of a reactor after an id that have not ended, in ascending order.
  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) -> [(id: String, stored: StoredSession)] {
    var found: [(id: String, stored: StoredSession)] = []
    var last = id
    while found.count < limit {
      let page = index.withLock { index in
        index[reactor, default: OrderedIDs(storedIDs(of: reactor))]
          .ids(after: last, limit: limit - found.count)
      }
      guard !page.isEmpty else { break }
      last = page.last
      for id in page {
        guard case .stored(let stored) = find(SessionKey(reactor: reactor, id: id))?.record()
        else { continue }
        found.append((id, stored))
      }
    }
    return found
  }
}
