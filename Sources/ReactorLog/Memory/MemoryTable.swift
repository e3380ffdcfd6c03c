internal import Synchronization

/// The sessions of a log in memory.
final class MemoryTable: Sendable {
  /// The globals, by name.
  let shared = Mutex<[String: SharedValue]>([:])
  private let sessions = Mutex<[SessionKey: MemorySession]>([:])
  private let retained: Int
  private let retention: RetentionRules
  private let outcomesKept: Int64

  /// Creates a table whose sessions retain outcomes for a number of milliseconds.
  init(retained: Int, retention: RetentionRules, outcomesKept: Int64) {
    self.retained = retained
    self.retention = retention
    self.outcomesKept = outcomesKept
  }

  func find(_ key: SessionKey) -> MemorySession? {
    sessions.withLock { $0[key] }
  }

  func findOrMake(_ key: SessionKey) -> MemorySession {
    sessions.withLock { sessions in
      if let session = sessions[key] { return session }
      let session = MemorySession(
        retained: retained(of: key.reactor), outcomesKept: outcomesKept)
      sessions[key] = session
      return session
    }
  }

  private func retained(of reactor: String) -> Int {
    if case .versions(let count) = retention[reactor] { count } else { retained }
  }

  /// The sessions after a key that have unfinished actions, in ascending order.
  func unfinishedSessions(after key: SessionKey?) -> [SessionKey] {
    func place(_ key: SessionKey) -> (String, String) { (key.reactor, key.id) }
    let all = sessions.withLock { $0 }
    let found = all.filter { found, session in
      (key.map { place($0) < place(found) } ?? true) && !session.acceptedActions.isEmpty
    }
    return found.keys.sorted { place($0) < place($1) }
  }

  /// The sessions of a reactor after an id, in ascending order.
  func sessions(of reactor: String, after id: String?) -> [(SessionKey, MemorySession)] {
    let found = sessions.withLock { sessions in
      sessions.filter { $0.key.reactor == reactor && $0.key.id > id ?? "" }
    }
    return found.sorted { $0.key.id < $1.key.id }.map { ($0.key, $0.value) }
  }
}
