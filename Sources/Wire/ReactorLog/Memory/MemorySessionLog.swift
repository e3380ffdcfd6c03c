internal import Synchronization

/// The log of a session in memory; the session is created by the first write.
final class MemorySessionLog: SessionLog {
  private let key: SessionKey
  private let table: MemoryTable
  /// The session of the key, which never changes once it exists.
  private let known = Mutex<MemorySession?>(nil)

  init(_ key: SessionKey, in table: MemoryTable) {
    self.key = key
    self.table = table
  }

  func load(schema: String?) throws(LogError) -> LoadedSession {
    found?.load(schema: schema) ?? LoadedSession(.none)
  }

  func record() throws(LogError) -> SessionRecord {
    found?.record() ?? .none
  }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool
  ) async throws(LogError) {
    guard let session = made else { throw .full }
    defer { table.feed?.publish() }
    let result = session.begin(
      epoch, with: nil, parameters: parameters, replacesEnded: replacesEnded, of: key, in: table)
    try finish(result, of: session).get()
  }

  var collectsBatches: Bool { false }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    guard let session = made else { return completion(.failure(.full)) }
    let result = session.append(batch, to: epoch, expecting: version, of: key, in: table)
    completion(finish(result, of: session))
    table.feed?.publish()
  }

  private func finish(
    _ result: MemorySession.AppendResult, of session: MemorySession
  ) -> Result<Void, LogError> {
    if result == .created { table.updateIndex(key, session) }
    return switch result {
    case .appended, .created: .success(())
    case .rejected: .failure(.lost(to: nil))
    case .full: .failure(.full)
    }
  }

  func end() async throws(LogError) {
    guard let session = made else { throw .full }
    session.end(of: key, in: table)
    table.updateIndex(key, session)
    table.feed?.publish()
  }

  func entries(
    after version: Int, limit: Int
  ) throws(LogError) -> [LogEntry] {
    found?.entries(after: version, limit: limit) ?? []
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?
  ) throws(LogError) -> Snapshot? {
    found?.snapshot(atOrBefore: version, of: schema)
  }

  func outcome(of key: String) throws(LogError) -> StoredOutcome? {
    found?.outcome(of: key)
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    found?.save(snapshot, of: epoch, of: key.reactor, in: table)
  }

  private var found: MemorySession? {
    if let session = known.withLock({ $0 }) { return session }
    let session = table.find(key)
    if session != nil { known.withLock { $0 = session } }
    return session
  }

  /// The session, which is created if there is none, or `nil` if the budget has no room for it.
  private var made: MemorySession? {
    if let session = known.withLock({ $0 }) { return session }
    let session = table.findOrMake(key)
    known.withLock { $0 = session }
    return session
  }
}
