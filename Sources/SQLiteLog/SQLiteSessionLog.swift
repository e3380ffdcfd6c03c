internal import ReactorHost

/// One session's part of the database.
///
/// It knows nothing but its name.
final class SQLiteSessionLog: SessionLog {
  private let key: SessionKey
  private let committer: GroupCommitter
  private let readers: ReaderPool

  init(_ key: SessionKey, committer: GroupCommitter, readers: ReaderPool) {
    self.key = key
    self.committer = committer
    self.readers = readers
  }

  func record() throws(LogError) -> SessionRecord {
    try readers.read { (reader) throws(DatabaseError) in try reader.record(of: key) }
  }

  func create(epoch: String, completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    committer.write(WriteRequest(.create(key, epoch: epoch), completion: completion))
  }

  func append(
    _ entries: [LogEntry], to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    committer.write(
      WriteRequest(
        .append(key, entries, epoch: epoch, version: version), completion: completion))
  }

  func end(completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    committer.write(WriteRequest(.end(key), completion: completion))
  }

  func entries(after version: Int, limit: Int) throws(LogError) -> [LogEntry] {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.entries(of: key, after: version, limit: limit)
    }
  }

  func snapshot(atOrBefore version: Int) throws(LogError) -> Snapshot? {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.snapshot(of: key, atOrBefore: version)
    }
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    committer.write(WriteRequest(.save(key, snapshot, epoch: epoch), completion: nil))
  }
}
