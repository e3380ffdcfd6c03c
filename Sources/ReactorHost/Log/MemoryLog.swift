internal import Synchronization

/// A log that lives as long as its process: for tests, demonstrations and state that may be lost.
public final class MemoryLog: MutationLog {
  private let sessions = Mutex<[SessionKey: MemorySessionLog]>([:])
  private let retained: Int

  /// Makes an empty log.
  ///
  /// - Parameter retainedVersions: How many of a session's latest entries are kept at least. Older
  ///   ones are dropped where a snapshot stands in for them, so that a session that goes on for
  ///   months needs no more memory than one that began today.
  public init(retainedVersions: Int = 10_000) {
    retained = retainedVersions
  }

  /// The part of the log that belongs to one session.
  public func session(_ key: SessionKey) -> any SessionLog {
    stored(key) ?? makeHandle(key)
  }

  /// Stores a session whose history is another one's up to a version.
  public func fork(
    _ source: SessionKey, at version: Int, to target: SessionKey, epoch: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let history = stored(source)?.history(upTo: version)
    let log = register(makeHandle(target), as: target)
    completion(log.begin(epoch, with: history) ? .success(()) : .failure(.conflict))
  }

  private func makeHandle(_ key: SessionKey) -> MemorySessionLog {
    MemorySessionLog(
      retained: retained,
      find: { [weak self] in self?.stored(key) },
      register: { [weak self] log in self?.register(log, as: key) ?? log })
  }

  private func stored(_ key: SessionKey) -> MemorySessionLog? {
    sessions.withLock { $0[key] }
  }

  private func register(_ log: MemorySessionLog, as key: SessionKey) -> MemorySessionLog {
    sessions.withLock { sessions in
      if let stored = sessions[key] { return stored }
      sessions[key] = log
      return log
    }
  }

  /// The stored sessions of a reactor.
  public func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    let stored = sessions.withLock { sessions in
      sessions.filter { $0.key.reactor == reactor && $0.key.id > id ?? "" }
    }
    var summaries: [SessionSummary] = []
    for (key, log) in stored.sorted(by: { $0.key.id < $1.key.id }) {
      guard summaries.count < limit else { break }
      guard case .stored(let session) = log.record() else { continue }
      summaries.append(
        SessionSummary(
          id: key.id, cursor: Cursor(epoch: session.epoch, version: session.version),
          subscribers: 0, lastActiveAt: session.lastActiveAt))
    }
    return summaries
  }
}
