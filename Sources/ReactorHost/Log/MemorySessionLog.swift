internal import Synchronization

/// One session's entries in memory.
///
/// A handle that was made before anything was stored registers itself with its first write. If
/// another handle was faster, that one is the session, and this one passes everything on to it.
final class MemorySessionLog: SessionLog {
  private enum Place {
    case unregistered
    case registered
    case superseded(by: MemorySessionLog)
  }

  /// What a session's history consists of.
  struct History: Sendable {
    var entries: [LogEntry] = []
    var version = 0
    var lastActiveAt = Timestamp(milliseconds: 0)
    var globals: [String: UInt64] = [:]
    var snapshots: [Snapshot] = []  // in ascending order of their versions
  }

  private struct Contents {
    var epoch: String?
    var isEnded = false
    var history = History()
  }

  private let retained: Int
  private let place = Mutex(Place.unregistered)
  private let contents = Mutex(Contents())
  private let register: @Sendable (MemorySessionLog) -> MemorySessionLog

  init(
    retained: Int,
    register: @escaping @Sendable (MemorySessionLog) -> MemorySessionLog
  ) {
    self.retained = retained
    self.register = register
  }

  func record() -> SessionRecord {
    target.contents.withLock { contents in
      if contents.isEnded { return .ended }
      guard let epoch = contents.epoch else { return .none }
      return .stored(
        StoredSession(
          epoch: epoch, version: contents.history.version,
          lastActiveAt: contents.history.lastActiveAt,
          globals: contents.history.globals,
          snapshotVersion: contents.history.snapshots.last?.version ?? 0))
    }
  }

  func create(epoch: String, completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    completion(registered.begin(epoch, with: nil) ? .success(()) : .failure(.conflict))
  }

  /// Begins a history, in place of one that has ended.
  ///
  /// - Returns: Whether there was room for it.
  func begin(_ epoch: String, with history: History?) -> Bool {
    contents.withLock { contents in
      guard contents.isEnded || contents.epoch == nil else { return false }
      contents = Contents(epoch: epoch, history: history ?? History(lastActiveAt: .now))
      return true
    }
  }

  /// The history up to a version, for another session to begin with.
  func history(upTo version: Int) -> History {
    var history = target.contents.withLock { $0.history }
    history.entries.removeLast(
      min(history.entries.count, max(0, history.version - version)))
    history.snapshots.removeAll { $0.version > version }
    history.version = version
    history.lastActiveAt = .now
    history.globals = [:]
    for entry in history.entries {
      if let global = entry.global { history.globals[global.name] = global.revision }
    }
    return history
  }

  func append(
    _ entries: [LogEntry], to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let isExpected = registered.contents.withLock { contents in
      guard !contents.isEnded, contents.epoch ?? epoch == epoch, contents.history.version == version
      else { return false }
      contents.epoch = epoch
      contents.history.entries += entries
      contents.history.version += entries.count
      for entry in entries {
        if let global = entry.global { contents.history.globals[global.name] = global.revision }
      }
      contents.history.lastActiveAt = entries.last?.at ?? contents.history.lastActiveAt
      return true
    }
    completion(isExpected ? .success(()) : .failure(.conflict))
  }

  func end(completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    registered.contents.withLock { contents in
      contents = Contents()
      contents.isEnded = true
    }
    completion(.success(()))
  }

  func entries(after version: Int, limit: Int) -> [LogEntry] {
    target.contents.withLock { contents in
      let first = contents.history.version - contents.history.entries.count
      let start = min(max(0, version - first), contents.history.entries.count)
      return Array(contents.history.entries[start...].prefix(limit))
    }
  }

  func snapshot(atOrBefore version: Int) -> Snapshot? {
    target.contents.withLock { $0.history.snapshots.last { $0.version <= version } }
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    target.contents.withLock { contents in
      guard contents.epoch == epoch, snapshot.version <= contents.history.version,
        snapshot.version > contents.history.snapshots.last?.version ?? 0
      else { return }
      contents.history.snapshots.append(snapshot)
      trim(&contents)
    }
  }

  /// Drops what retention need not keep: entries up to the newest snapshot that is old enough.
  private func trim(_ contents: inout Contents) {
    let oldest = contents.history.version - retained
    guard let keep = contents.history.snapshots.lastIndex(where: { $0.version <= oldest }) else {
      return
    }
    let first = contents.history.version - contents.history.entries.count
    contents.history.entries.removeFirst(max(0, contents.history.snapshots[keep].version - first))
    contents.history.snapshots.removeFirst(keep)
  }

  private var target: MemorySessionLog {
    if case .superseded(let other) = place.withLock({ $0 }) { return other }
    return self
  }

  private var registered: MemorySessionLog {
    switch place.withLock({ $0 }) {
    case .registered: return self
    case .superseded(let other): return other
    case .unregistered:
      let winner = register(self)
      place.withLock { $0 = winner === self ? .registered : .superseded(by: winner) }
      return winner
    }
  }
}
