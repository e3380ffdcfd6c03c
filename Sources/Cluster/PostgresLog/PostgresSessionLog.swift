internal import ReactorLog
internal import Synchronization

/// The rows of one session.
///
/// It knows which write of the session it has seen last, so that no write succeeds after one of another process
/// that it has not seen.
final class PostgresSessionLog: SessionLog {
  /// The knowledge of this process about the session's row.
  private enum Claim: Sendable {
    /// Nothing: only the version counts.
    case none
    /// It has read the row.
    case read(writer: Int64, stamp: Int64)
    /// It has written the row, and its next write must follow its own.
    case written(writer: Int64)
  }

  private let key: StoredKey
  private let database: Database
  private let state = Mutex(Claim.none)

  init(_ key: StoredKey, in database: Database) {
    self.key = key
    self.database = database
  }

  /// The write that must be the last one of the row, unless that is one of this process, or `nil` for any.
  var claim: (Int64?, Int64?) {
    switch state.withLock({ $0 }) {
    case .none: (nil, nil)
    case .read(let writer, let stamp): (writer, stamp)
    case .written(let writer): (writer, 0)
    }
  }

  /// Records that a write has succeeded.
  func didWrite(_ operation: WriteOperation) {
    switch operation {
    case .append, .create:
      state.withLock { $0 = .written(writer: database.writer.context.writer) }
    default: break
    }
  }

  private func didRead(_ head: StoredHead) {
    guard case .stored = head.record else { return state.withLock { $0 = .none } }
    state.withLock { $0 = .read(writer: head.writer, stamp: head.stamp) }
  }

  func load(schema: String?, completion: @escaping ReadCompletion<LoadedSession>) {
    let result = database.result { (reader) throws(PostgresError) in
      try reader.load(key, schema: schema)
    }
    completion(
      result.map { loaded, head in
        didRead(head)
        return loaded
      })
  }

  func record(completion: @escaping ReadCompletion<SessionRecord>) {
    completion(
      database.result { (reader) throws(PostgresError) in try reader.head(of: key) }
        .map { $0.record })
  }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    write(
      .create(key.key, epoch: epoch, parameters: parameters, replacesEnded: replacesEnded),
      completion)
  }

  var collectsBatches: Bool { true }

  func announce(_ source: any BatchSource) { database.writer.announce(source) }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    guard !batch.isEmpty else { return completion(.success(())) }
    write(.append(key.key, batch, epoch: epoch, version: version), completion)
  }

  func end(completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    let upkeep = database.upkeep
    write(.end(key.key)) { result in
      if case .success = result { upkeep.wake() }
      completion(result)
    }
  }

  func lastWriter(completion: @escaping ReadCompletion<NodeID?>) {
    completion(
      database.result { (reader) throws(PostgresError) in
        try reader.rows(reader.statements.writer, key.parameters).first(as: (String, Int64).self)
          .map { NodeID(name: $0, incarnation: UInt64(bitPattern: $1)) }
      })
  }

  func confirmEnd(
    of epoch: String, at version: @escaping @Sendable () -> Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let own = database.writer.context.writer
    let result = database.result { (reader) throws(PostgresError) in try reader.head(of: key) }
    completion(
      result.flatMap { head in
        switch head.record {
        case .stored(let stored) where stored.epoch == epoch:
          head.writer == own || stored.version <= version()
            ? .success(()) : .failure(.lost(to: nil))
        case .none where version() == 0: .success(())
        default: .failure(.lost(to: nil))
        }
      })
  }

  func entries(
    after version: Int, limit: Int, completion: @escaping ReadCompletion<[LogEntry]>
  ) {
    completion(
      database.result { (reader) throws(PostgresError) in
        try reader.entries(of: key, after: version, limit: limit)
      })
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?,
    completion: @escaping ReadCompletion<Snapshot?>
  ) {
    completion(
      database.result { (reader) throws(PostgresError) in
        try reader.snapshot(of: key, atOrBefore: version, schema: schema)
      })
  }

  func outcome(of name: String, completion: @escaping ReadCompletion<StoredOutcome?>) {
    completion(
      database.result { (reader) throws(PostgresError) in try reader.outcome(of: name, in: key) })
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    let upkeep = database.upkeep
    let key = key
    write(.save(key.key, snapshot, epoch: epoch)) { result in
      if case .success = result { upkeep.didSave(key, schema: snapshot.schema) }
    }
  }

  private func write(_ operation: WriteOperation, _ completion: WriteRequest.Completion?) {
    let writer = database.writer
    writer.write(
      PendingWrite(
        WriteRequest(operation, completion: completion), of: self, deadline: writer.deadline))
  }
}
