import ReactorHost
import ReactorLog
import Synchronization

/// A log whose writes a test can delay or fail.
final class LogDouble: MutationLog {
  enum Mode: Sendable {
    case atOnce
    /// The write completes on another thread.
    case elsewhere
    case held
    case failing(LogError)
    /// Only the writes of the sessions of a reactor fail.
    case failingOf(String, LogError)
  }

  private struct State {
    var mode = Mode.atOnce
    var held: [@Sendable () -> Void] = []
    var sourcesAreHeld = false
    var sources: [any BatchSource] = []
    var beforeReads: @Sendable (Int) -> Void = { _ in }
  }

  /// For each append, the expected version followed by the versions of its entries.
  let appends = Recorder<[Int]>()
  /// The versions after which entries were read.
  let reads = Recorder<Int>()
  /// The batches of the appends.
  let batches = Recorder<LogBatch>()
  /// Whether the reads block, as those of a store on a disk.
  let readsFromDisk: Bool
  private let base: any MutationLog
  private let state = Mutex(State())

  init(_ base: any MutationLog, readsFromDisk: Bool = false) {
    self.base = base
    self.readsFromDisk = readsFromDisk || base.readsFromDisk
  }

  func set(_ mode: Mode) {
    state.withLock { $0.mode = mode }
  }

  /// Calls a function before each read of entries, with the version after which they are read.
  func beforeReads(_ body: @escaping @Sendable (Int) -> Void) {
    state.withLock { $0.beforeReads = body }
  }

  fileprivate func willRead(after version: Int) {
    reads.add(version)
    state.withLock { $0.beforeReads }(version)
  }

  /// Requests no batch until ``requestBatches()``.
  func holdSources() {
    state.withLock { $0.sourcesAreHeld = true }
  }

  /// Requests the batches that were announced since the last call.
  ///
  /// - Returns: Their number.
  @discardableResult
  func requestBatches() -> Int {
    let sources = state.withLock { state in
      defer { state.sources = [] }
      return state.sources
    }
    for source in sources { source.appendBatch() }
    return sources.count
  }

  fileprivate func announce(_ source: any BatchSource) {
    let isHeld = state.withLock { state in
      if state.sourcesAreHeld { state.sources.append(source) }
      return state.sourcesAreHeld
    }
    if !isHeld { source.appendBatch() }
  }

  /// Executes the oldest delayed write.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func releaseOne() -> Bool {
    let write = state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }
    write?()
    return write != nil
  }

  /// The number of delayed writes.
  var heldCount: Int { state.withLock { $0.held.count } }

  /// Executes the delayed writes and those that they cause.
  func releaseAll() {
    while releaseOne() {}
  }

  func session(_ key: SessionKey) -> any SessionLog {
    SessionLogDouble(base.session(key), of: self, for: key.reactor)
  }

  func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?
  ) async throws(LogError) {
    try await waitForTurn()
    try await base.fork(source, at: cursor, to: target, epoch: epoch, parameters: parameters)
  }

  var failure: LogError? { base.failure }

  func failures(of reactor: String) throws(LogError) -> [StoredFailure] {
    try base.failures(of: reactor)
  }

  func sessions(
    of reactor: String, after id: String?, limit: Int
  ) throws(LogError) -> [SessionSummary] {
    try base.sessions(of: reactor, after: id, limit: limit)
  }

  func unfinishedSessions(
    after key: SessionKey?, limit: Int
  ) throws(LogError) -> [SessionKey] {
    try base.unfinishedSessions(after: key, limit: limit)
  }

  func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int
  ) throws(LogError) -> DueTimers {
    try base.dueTimers(after: position, until: time, limit: limit)
  }

  func timerCount() throws(LogError) -> Int {
    try base.timerCount()
  }

  func sharedValue(_ name: String) throws(LogError) -> SharedValue? {
    try base.sharedValue(name)
  }

  func share(_ value: SharedValue, as name: String) async throws(LogError) {
    try await waitForTurn()
    try await base.share(value, as: name)
  }

  /// Waits until a write of the caller may begin, or throws the error with which it fails.
  fileprivate func waitForTurn(of reactor: String? = nil) async throws(LogError) {
    try await withCheckedContinuation { continuation in
      write(of: reactor, { continuation.resume(returning: $0) }) {
        continuation.resume(returning: .success(()))
      }
    }.get()
  }

  fileprivate func write(
    of reactor: String? = nil,
    _ completion: @escaping @Sendable (Result<Void, LogError>) -> Void,
    _ work: @escaping @Sendable () -> Void
  ) {
    let mode = state.withLock { state in
      if case .held = state.mode { state.held.append(work) }
      return state.mode
    }
    switch mode {
    case .atOnce: work()
    case .elsewhere: Task { work() }
    case .held: break
    case .failing(let error): completion(.failure(error))
    case .failingOf(let name, let error): name == reactor ? completion(.failure(error)) : work()
    }
  }
}

private final class SessionLogDouble: SessionLog {
  private let base: any SessionLog
  private let log: LogDouble
  private let reactor: String

  init(_ base: any SessionLog, of log: LogDouble, for reactor: String) {
    self.base = base
    self.log = log
    self.reactor = reactor
  }

  func load(schema: String?) throws(LogError) -> LoadedSession {
    try base.load(schema: schema)
  }

  func record() throws(LogError) -> SessionRecord {
    try base.record()
  }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool
  ) async throws(LogError) {
    try await log.waitForTurn(of: reactor)
    try await base.create(epoch: epoch, parameters: parameters, replacesEnded: replacesEnded)
  }

  var collectsBatches: Bool { true }

  func announce(_ source: any BatchSource) {
    log.announce(source)
  }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    log.appends.add([version] + batch.entries.map(\.version))
    log.batches.add(batch)
    log.write(of: reactor, completion) { [base] in
      base.append(batch, to: epoch, expecting: version, completion: completion)
    }
  }

  func end() async throws(LogError) {
    try await log.waitForTurn(of: reactor)
    try await base.end()
  }

  func entries(
    after version: Int, limit: Int
  ) throws(LogError) -> [LogEntry] {
    log.willRead(after: version)
    return try base.entries(after: version, limit: limit)
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?
  ) throws(LogError) -> Snapshot? {
    try base.snapshot(atOrBefore: version, of: schema)
  }

  func outcome(of key: String) throws(LogError) -> StoredOutcome? {
    try base.outcome(of: key)
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    base.save(snapshot, of: epoch)
  }
}
