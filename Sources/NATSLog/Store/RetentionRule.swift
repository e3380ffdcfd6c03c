internal import ReactorLog
internal import Synchronization

/// Selects the milestone that replaces the entries before it.
final class RetentionRule: Sendable {
  private let rules: RetentionRules
  /// The schemas that the hosted reactors can decode, by the names of the reactors.
  private let schemas = Mutex<[String: String]>([:])

  init(_ rules: RetentionRules) {
    self.rules = rules
  }

  /// A hosted reactor can decode snapshots of a schema.
  func willFold(_ reactor: String, schema: String) {
    schemas.withLock { $0[reactor] = schema }
  }

  /// Whether entries of a session are deleted at all.
  func limits(_ key: SessionKey) -> Bool { rules[key.reactor] != .all }

  /// The latest milestone that is old enough, with its sequence, or `nil` for none.
  ///
  /// Only a snapshot of the current schema can replace entries: another may not be decodable.
  func base(
    of key: SessionKey, _ head: SessionHead, _ snapshots: SnapshotReader
  ) async throws(LogError) -> (version: Int, sequence: Int)? {
    guard rules[key.reactor] != .all, let schema = schemas.withLock({ $0[key.reactor] }) else {
      return nil
    }
    let found: SnapshotReader.Positioned?
    switch rules[key.reactor] {
    case .all: return nil
    case .versions(let count):
      let version = head.version - max(count, 1)
      found = try await snapshots.milestone(of: head.epoch, upTo: version) {
        $0.snapshot.schema == schema
      }
    case .days(let count):
      let time = Timestamp.now.milliseconds - Int64(count) * 86_400_000
      found = try await snapshots.milestone(of: head.epoch, upTo: head.version - 1) {
        $0.snapshot.schema == schema && $0.at < time
      }
    }
    return found.map { ($0.record.snapshot.version, $0.sequence) }
  }
}
