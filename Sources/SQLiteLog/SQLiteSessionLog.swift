internal import ReactorLog

/// The rows of one session.
///
/// It has no state, and costs nothing until it is used.
final class SQLiteSessionLog: SessionLog {
  private let key: SessionKey
  private let committer: GroupCommitter?
  private let readers: ReaderPool

  init(_ key: SessionKey, committer: GroupCommitter?, readers: ReaderPool) {
    self.key = key
    self.committer = committer
    self.readers = readers
  }

  func record() throws(LogError) -> SessionRecord {
    try readers.read { (reader) throws(DatabaseError) in try reader.record(of: key) }
  }

  func create(
    epoch: String, parameters: [UInt8]?,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    write(.create(key, epoch: epoch, parameters: parameters), completion)
  }

  func announce(_ source: any BatchSource) {
    guard let committer else { return source.appendBatch() }
    committer.announce(source)
  }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    write(.append(key, batch, epoch: epoch, version: version), completion)
  }

  func end(completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    write(.end(key), completion)
  }

  func entries(after version: Int, limit: Int) throws(LogError) -> [LogEntry] {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.entries(of: key, after: version, limit: limit)
    }
  }

  func snapshot(atOrBefore version: Int, of schema: String?) throws(LogError) -> Snapshot? {
    try readers.read { (reader) throws(DatabaseError) in
      try reader.snapshot(of: key, atOrBefore: version, schema: schema)
    }
  }

  func acceptedActions() throws(LogError) -> [AcceptedAction] {
    try readers.read { (reader) throws(DatabaseError) in try reader.acceptedActions(of: key) }
  }

  func timers() throws(LogError) -> [StoredTimer] {
    try readers.read { (reader) throws(DatabaseError) in try reader.timers(of: key) }
  }

  func outcome(of name: String) throws(LogError) -> StoredOutcome? {
    try readers.read { (reader) throws(DatabaseError) in try reader.outcome(of: name, in: key) }
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    write(.save(key, snapshot, epoch: epoch), nil)
  }

  private func write(_ operation: WriteOperation, _ completion: WriteRequest.Completion?) {
    let request = WriteRequest(operation, completion: completion)
    guard let committer else { return request.rejectWriting() }
    committer.write(request)
  }
}
