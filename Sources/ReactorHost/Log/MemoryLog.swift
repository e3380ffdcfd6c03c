internal import Synchronization

/// A log that lives as long as its process: for tests, demonstrations and state that may be lost.
///
/// A session keeps the answers of its latest 10,000 idempotency keys.
public final class MemoryLog: MutationLog {
  private let table: MemoryTable

  /// Makes an empty log.
  ///
  /// - Parameters:
  ///   - retainedVersions: How many of a session's latest entries are kept at least. Older ones are
  ///     dropped where a snapshot stands in for them, so that a session that goes on for months
  ///     needs no more memory than one that began today.
  ///   - retention: Where it has a number of versions for a reactor, that counts instead. All, or all
  ///     of some days, is more than memory can promise.
  ///   - outcomesKept: How long the answers of idempotency keys are kept, in any case.
  public init(
    retainedVersions: Int = 10_000, retention: RetentionRules = RetentionRules(),
    outcomesKept: Duration = .seconds(86_400)
  ) {
    let milliseconds = outcomesKept / .milliseconds(1)
    table = MemoryTable(
      retained: retainedVersions, retention: retention,
      outcomesKept: milliseconds < 9e15 ? Int64(milliseconds) : .max)
  }

  /// The part of the log that belongs to one session.
  public func session(_ key: SessionKey) -> any SessionLog {
    MemorySessionLog(key, in: table)
  }

  /// Stores a session whose history is another one's up to a version.
  public func fork(
    _ source: SessionKey, at version: Int, to target: SessionKey, epoch: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let history = table.find(source)?.history(upTo: version)
    let isThere = table.findOrMake(target).begin(epoch, with: history)
    completion(isThere ? .success(()) : .failure(.conflict))
  }

  /// The stored sessions of a reactor.
  public func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    var summaries: [SessionSummary] = []
    for (key, session) in table.sessions(of: reactor, after: id) {
      guard summaries.count < limit else { break }
      guard case .stored(let stored) = session.record() else { continue }
      summaries.append(
        SessionSummary(
          id: key.id, cursor: Cursor(epoch: stored.epoch, version: stored.version),
          subscribers: 0, lastActiveAt: stored.lastActiveAt))
    }
    return summaries
  }

  /// The sessions with accepted actions that were not finished.
  public func unfinishedSessions(after key: SessionKey?, limit: Int) -> [SessionKey] {
    Array(table.unfinishedSessions(after: key).prefix(limit))
  }

  /// A value that all sessions share, as it was set last.
  public func sharedValue(_ name: String) -> SharedValue? {
    table.shared.withLock { $0[name] }
  }

  /// Sets a value that all sessions share.
  public func share(
    _ value: SharedValue, as name: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    table.shared.withLock { $0[name] = value }
    completion(.success(()))
  }
}
