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

  func load(schema: String?) throws(LogError) -> LoadedSession {
    let (loaded, head) = try database.read { (reader) throws(PostgresError) in
      try reader.load(key, schema: schema)
    }
    didRead(head)
    return loaded
  }

  func record() throws(LogError) -> SessionRecord {
    try head().record
  }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool
  ) async throws(LogError) {
    try await WriteOperation.create(
      key.key, epoch: epoch, parameters: parameters, replacesEnded: replacesEnded
    ).execute { write($0) }
  }

  var collectsBatches: Bool { true }

  func announce(_ source: any BatchSource) { database.writer.announce(source) }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    guard !batch.isEmpty else { return completion(.success(())) }
    write(
      WriteRequest(
        .append(key.key, batch, epoch: epoch, version: version), completion: completion))
  }

  func end() async throws(LogError) {
    try await WriteOperation.end(key.key).execute { write($0) }
    database.upkeep.wake()
  }

  func lastWriter() throws(LogError) -> NodeID? {
    try database.read { (reader) throws(PostgresError) in
      try reader.rows(reader.statements.writer, key.parameters).first(as: (String, Int64).self)
        .map { NodeID(name: $0, incarnation: UInt64(bitPattern: $1)) }
    }
  }

  func confirmEnd(of epoch: String, at version: () -> Int) throws(LogError) {
    let own = database.writer.context.writer
    let head = try head()
    switch head.record {
    case .stored(let stored) where stored.epoch == epoch:
      guard head.writer == own || stored.version <= version() else { throw .conflict }
    case .none where version() == 0: break
    default: throw .conflict
    }
  }

  private func head() throws(LogError) -> StoredHead {
    try database.read { (reader) throws(PostgresError) in try reader.head(of: key) }
  }

  func entries(
    after version: Int, limit: Int
  ) throws(LogError) -> [LogEntry] {
    try database.read { (reader) throws(PostgresError) in
      try reader.entries(of: key, after: version, limit: limit)
    }
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?
  ) throws(LogError) -> Snapshot? {
    try database.read { (reader) throws(PostgresError) in
      try reader.snapshot(of: key, atOrBefore: version, schema: schema)
    }
  }

  func outcome(of name: String) throws(LogError) -> StoredOutcome? {
    try database.read { (reader) throws(PostgresError) in try reader.outcome(of: name, in: key) }
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    let upkeep = database.upkeep
    let key = key
    write(
      WriteRequest(.save(key.key, snapshot, epoch: epoch)) { result in
        if case .success = result { upkeep.didSave(key, schema: snapshot.schema) }
      })
  }

  private func write(_ request: WriteRequest) {
    let writer = database.writer
    writer.write(PendingWrite(request, of: self, deadline: writer.deadline))
  }
}
