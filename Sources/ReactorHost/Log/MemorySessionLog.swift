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

  private struct Contents {
    var epoch: String?
    var isEnded = false
    var entries: [LogEntry] = []
    var version = 0
    var lastActiveAt = Timestamp(milliseconds: 0)
    var globals: [String: UInt64] = [:]
    var snapshots: [Snapshot] = []  // in ascending order of their versions

    init() {}

    init(epoch: String) {
      self.epoch = epoch
      lastActiveAt = .now
    }
  }

  private let retained: Int
  private let place = Mutex(Place.unregistered)
  private let contents = Mutex(Contents())
  private let register: @Sendable (MemorySessionLog) -> MemorySessionLog

  init(
    _ key: SessionKey, retained: Int,
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
          epoch: epoch, version: contents.version, lastActiveAt: contents.lastActiveAt,
          globals: contents.globals))
    }
  }

  func create(epoch: String, completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    let isTaken = registered.contents.withLock { contents in
      guard contents.isEnded || contents.epoch == nil else { return true }
      contents = Contents(epoch: epoch)
      return false
    }
    completion(isTaken ? .failure(.conflict) : .success(()))
  }

  func append(
    _ entries: [LogEntry], to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let isExpected = registered.contents.withLock { contents in
      guard !contents.isEnded, contents.epoch ?? epoch == epoch, contents.version == version
      else { return false }
      contents.epoch = epoch
      contents.entries += entries
      contents.version += entries.count
      for entry in entries {
        if let global = entry.global { contents.globals[global.name] = global.revision }
      }
      contents.lastActiveAt = entries.last?.at ?? contents.lastActiveAt
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
      let first = contents.version - contents.entries.count
      let start = min(max(0, version - first), contents.entries.count)
      return Array(contents.entries[start...].prefix(limit))
    }
  }

  func snapshot(atOrBefore version: Int) -> Snapshot? {
    target.contents.withLock { $0.snapshots.last { $0.version <= version } }
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    target.contents.withLock { contents in
      guard contents.epoch == epoch, snapshot.version <= contents.version,
        snapshot.version > contents.snapshots.last?.version ?? 0
      else { return }
      contents.snapshots.append(snapshot)
      trim(&contents)
    }
  }

  /// Drops what retention need not keep: entries up to the newest snapshot that is old enough.
  private func trim(_ contents: inout Contents) {
    let oldest = contents.version - retained
    guard let keep = contents.snapshots.lastIndex(where: { $0.version <= oldest }) else { return }
    let first = contents.version - contents.entries.count
    contents.entries.removeFirst(max(0, contents.snapshots[keep].version - first))
    contents.snapshots.removeFirst(keep)
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
