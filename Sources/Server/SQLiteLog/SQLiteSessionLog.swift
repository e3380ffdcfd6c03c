internal import ReactorLog
internal import Shares

/// The rows of one session.
///
/// It has no state, and reads no rows until it is used.
final class SQLiteSessionLog: SessionLog {
  private let key: SessionKey
  private let committer: GroupCommitter?
  private let readers: ReaderPool

  init(_ key: SessionKey, committer: GroupCommitter?, readers: ReaderPool) {
    self.key = key
    self.committer = committer
    self.readers = readers
  }

  func load(schema: String?) throws(LogError) -> LoadedSession {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.load(key, schema: schema)
    }
  }

  func record() throws(LogError) -> SessionRecord {
    try readers.read { (reader) throws(DatabaseError) in try reader.record(of: key) }
  }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool
  ) async throws(LogError) {
    try await committer.execute(
      .create(key, epoch: epoch, parameters: parameters, replacesEnded: replacesEnded))
  }

  var collectsBatches: Bool { committer != nil }

  func announce(_ source: any BatchSource) {
    guard let committer else { return source.appendBatch() }
    committer.announce(source)
  }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    committer.write(
      WriteRequest(
        .append(key, batch, epoch: epoch, version: version), of: committer?.appendingOwner ?? 0,
        completion: completion))
  }

  func end() async throws(LogError) { try await committer.execute(.end(key)) }

  func entries(
    after version: Int, limit: Int
  ) throws(LogError) -> [LogEntry] {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.entries(of: key, after: version, limit: limit)
    }
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?
  ) throws(LogError) -> Snapshot? {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.snapshot(of: key, atOrBefore: version, schema: schema)
    }
  }

  func outcome(of name: String) throws(LogError) -> StoredOutcome? {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.outcome(of: name, in: key)
    }
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    committer.write(WriteRequest(.save(key, snapshot, epoch: epoch), completion: nil))
  }
}
