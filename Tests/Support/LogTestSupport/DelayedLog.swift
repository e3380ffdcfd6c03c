import Dispatch
package import ReactorLog
import Synchronization

/// A log whose reads of sessions a test can hold, and then complete or fail, as those of a slow disk.
package final class DelayedLog: MutationLog {
  /// A read that is held; its thread waits.
  private final class HeldRead: Sendable {
    let id: String
    let error = Mutex<LogError?>(nil)
    let end = DispatchSemaphore(value: 0)

    init(_ id: String) { self.id = id }
  }

  private struct State {
    /// The ids of the sessions whose reads are held.
    var heldIDs: Set<String> = []
    var held: [HeldRead] = []
    var loads: [String: Int] = [:]
  }

  private let base: any MutationLog
  private let state = Mutex(State())

  /// Creates a log over the contents of another one.
  package init(_ base: any MutationLog) {
    self.base = base
  }

  /// Holds the reads of a session from now on.
  package func hold(_ id: String) {
    state.withLock { _ = $0.heldIDs.insert(id) }
  }

  /// The number of reads that are held.
  package var heldCount: Int { state.withLock { $0.held.count } }

  /// Calls a function on a thread of its own, and returns when a read of the function is held.
  package func begin(_ body: @escaping @Sendable () -> Void) async {
    let count = heldCount
    DispatchQueue(label: "held read").async(execute: body)
    while heldCount == count { await Task.yield() }
  }

  /// The number of times that a session was loaded.
  package func loads(of id: String) -> Int { state.withLock { $0.loads[id] ?? 0 } }

  /// Completes the reads of a session that are held, in order, and holds no further ones.
  package func release(_ id: String) {
    finishReads(of: id, nil)
  }

  /// Fails the reads of a session that are held, and holds no further ones.
  package func fail(_ id: String, _ error: LogError) {
    finishReads(of: id, error)
  }

  private func finishReads(of id: String, _ error: LogError?) {
    let reads = state.withLock { state in
      state.heldIDs.remove(id)
      defer { state.held.removeAll { $0.id == id } }
      return state.held.filter { $0.id == id }
    }
    for read in reads {
      read.error.withLock { $0 = error }
      read.end.signal()
    }
  }

  fileprivate func didBeginLoad(of id: String) {
    state.withLock { $0.loads[id, default: 0] += 1 }
  }

  /// Reads from the other log, after the test has released the read if reads of the session are held.
  fileprivate func read<Value>(
    _ id: String, _ body: () throws(LogError) -> Value
  ) throws(LogError) -> Value {
    let held: HeldRead? = state.withLock { state in
      guard state.heldIDs.contains(id) else { return nil }
      let read = HeldRead(id)
      state.held.append(read)
      return read
    }
    held?.end.wait()
    if let error = held?.error.withLock({ $0 }) { throw error }
    return try body()
  }

  // MARK: The log

  package var failure: LogError? { base.failure }

  package var readsFromDisk: Bool { true }

  package var changes: (any ChangeFeed)? { base.changes }

  package func willFold(_ reactor: String, schema: String) {
    base.willFold(reactor, schema: schema)
  }

  package func session(_ key: SessionKey) -> any SessionLog {
    DelayedSessionLog(base.session(key), of: key.id, in: self)
  }

  package func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError) {
    try await base.fork(source, at: cursor, to: target, epoch: epoch, parameters: parameters)
  }

  package func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    try base.sessions(of: reactor, after: id, limit: limit)
  }

  package func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    try base.unfinishedSessions(after: key, limit: limit)
  }

  package func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers {
    try base.dueTimers(after: position, until: time, limit: limit)
  }

  package func timerCount() throws(LogError) -> Int {
    try base.timerCount()
  }

  package func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    try base.sharedValue(name)
  }

  package func share(_ value: SharedValue, as name: String) async throws(LogError) {
    try await base.share(value, as: name)
  }
}

/// The log of one session, see ``DelayedLog``.
private final class DelayedSessionLog: SessionLog {
  private let base: any SessionLog
  private let id: String
  private let log: DelayedLog

  init(_ base: any SessionLog, of id: String, in log: DelayedLog) {
    self.base = base
    self.id = id
    self.log = log
  }

  func load(schema: String?) throws(LogError) -> LoadedSession {
    log.didBeginLoad(of: id)
    return try log.read(id) { () throws(LogError) in try base.load(schema: schema) }
  }

  func record() throws(LogError) -> SessionRecord {
    try log.read(id) { () throws(LogError) in try base.record() }
  }

  func entries(
    after version: Int, limit: Int
  ) throws(LogError) -> [LogEntry] {
    try log.read(id) { () throws(LogError) in try base.entries(after: version, limit: limit) }
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?
  ) throws(LogError) -> Snapshot? {
    try log.read(id) { () throws(LogError) in try base.snapshot(atOrBefore: version, of: schema) }
  }

  func outcome(of key: String) throws(LogError) -> StoredOutcome? {
    try log.read(id) { () throws(LogError) in try base.outcome(of: key) }
  }

  var collectsBatches: Bool { base.collectsBatches }

  func announce(_ source: any BatchSource) {
    base.announce(source)
  }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool
  ) async throws(LogError) {
    try await base.create(epoch: epoch, parameters: parameters, replacesEnded: replacesEnded)
  }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    base.append(batch, to: epoch, expecting: version, completion: completion)
  }

  func end() async throws(LogError) { try await base.end() }

  func save(_ snapshot: Snapshot, of epoch: String) {
    base.save(snapshot, of: epoch)
  }
}
