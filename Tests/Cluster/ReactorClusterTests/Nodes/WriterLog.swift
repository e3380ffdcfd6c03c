import ReactorLog
import Synchronization

/// A log in memory, as used by one of several processes.
///
/// It stores the last writer of each session, and ignores the writes of a killed process.
final class WriterLog: MutationLog {
  /// The part that the processes share.
  final class Store: Sendable {
    let log = MemoryLog()
    let writers = Mutex<[SessionKey: NodeID]>([:])
    /// The number of batches per session.
    let batches = Mutex<[SessionKey: Int]>([:])
    /// The revisions of the globals.
    let revisions = Mutex<[String: UInt64]>([:])
  }

  let store: Store
  let node: NodeID
  private let dead = Atomic<Bool>(false)
  /// The writes of the killed process, which never end.
  private let lost = Mutex<[CheckedContinuation<Void, Never>]>([])
  /// The revisions that this process has read or set.
  private let known = Mutex<[String: UInt64]>([:])

  init(_ store: Store, writer name: String) {
    self.store = store
    node = NodeID(name: name, incarnation: 0)
  }

  /// Whether the process was killed.
  var isDead: Bool { dead.load(ordering: .acquiring) }

  func kill() { dead.store(true, ordering: .releasing) }

  /// Waits forever if the process was killed.
  fileprivate func stopIfDead() async {
    guard isDead else { return }
    await withCheckedContinuation { continuation in lost.withLock { $0.append(continuation) } }
  }

  func session(_ key: SessionKey) -> any SessionLog {
    WriterSessionLog(store.log.session(key), key, self)
  }

  func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError) {
    await stopIfDead()
    try await store.log.fork(
      source, at: cursor, to: target, epoch: epoch, parameters: parameters)
    store.writers.withLock { $0[target] = node }
    store.batches.withLock { $0[target, default: 0] += 1 }
  }

  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    try store.log.sessions(of: reactor, after: id, limit: limit)
  }

  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    try store.log.unfinishedSessions(after: key, limit: limit)
  }

  func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers {
    try store.log.dueTimers(after: position, until: time, limit: limit)
  }

  func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    let value = try store.log.sharedValue(name)
    known.withLock { $0[name] = value?.revision }
    return value
  }

  func share(_ value: SharedValue, as name: String) async throws(LogError) {
    await stopIfDead()
    let isNext = store.revisions.withLock { revisions in
      guard revisions[name] == known.withLock({ $0[name] }) else { return false }
      revisions[name] = value.revision
      return true
    }
    guard isNext else { throw .lost(to: nil) }
    known.withLock { $0[name] = value.revision }
    try await store.log.share(value, as: name)
  }
}

private final class WriterSessionLog: SessionLog {
  private let log: any SessionLog
  private let key: SessionKey
  private let process: WriterLog
  /// The number of batches that the session had when it was read or written last.
  private let known = Mutex(0)

  init(_ log: any SessionLog, _ key: SessionKey, _ process: WriterLog) {
    self.log = log
    self.key = key
    self.process = process
  }

  func load(schema: String?) throws(LogError) -> LoadedSession {
    know()
    return try log.load(schema: schema)
  }

  func record() throws(LogError) -> SessionRecord {
    try log.record()
  }

  func lastWriter() throws(LogError) -> NodeID? {
    process.store.writers.withLock { $0[key] }
  }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool
  ) async throws(LogError) {
    try await write { () throws(LogError) in
      try await log.create(epoch: epoch, parameters: parameters, replacesEnded: replacesEnded)
    }
  }

  var collectsBatches: Bool { false }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    guard !process.isDead else { return }
    log.append(batch, to: epoch, expecting: version) { [self] in completion(wrote($0)) }
  }

  func end() async throws(LogError) {
    try await write { () throws(LogError) in try await log.end() }
  }

  private func write(_ body: () async throws(LogError) -> Void) async throws(LogError) {
    await process.stopIfDead()
    var result = Result<Void, LogError>.success(())
    do throws(LogError) { try await body() } catch { result = .failure(error) }
    try wrote(result).get()
  }

  private func wrote(_ result: Result<Void, LogError>) -> Result<Void, LogError> {
    process.store.writers.withLock { writers in
      guard case .success = result else {
        return .failure(.lost(to: writers[key]))
      }
      writers[key] = process.node
      process.store.batches.withLock { $0[key, default: 0] += 1 }
      know()
      return .success(())
    }
  }

  private func know() {
    let count = process.store.batches.withLock { $0[key] ?? 0 }
    known.withLock { $0 = count }
  }

  func confirmEnd(of epoch: String, at version: () -> Int) throws(LogError) {
    let count = process.store.batches.withLock { $0[key] ?? 0 }
    let writer = process.store.writers.withLock { $0[key] }
    guard writer == process.node || known.withLock({ $0 == count }) else {
      throw .lost(to: writer)
    }
  }

  func entries(
    after version: Int, limit: Int
  ) throws(LogError) -> [LogEntry] {
    try log.entries(after: version, limit: limit)
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?
  ) throws(LogError) -> Snapshot? {
    try log.snapshot(atOrBefore: version, of: schema)
  }

  func outcome(of key: String) throws(LogError) -> StoredOutcome? {
    try log.outcome(of: key)
  }

  func save(_ snapshot: Snapshot, of epoch: String) { log.save(snapshot, of: epoch) }
}
