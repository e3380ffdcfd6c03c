import Dispatch
package import ReactorLog
import Synchronization

/// A log whose reads complete late and on another thread, as those of a log on other machines do.
///
/// A test can hold the reads of sessions, and then complete or fail them.
package final class DelayedLog: MutationLog {
  private typealias Read = @Sendable (LogError?) -> Void

  private struct State {
    /// The ids of the sessions whose reads are held.
    var heldIDs: Set<String> = []
    var held: [(id: String, read: Read)] = []
    var loads: [String: Int] = [:]
  }

  private let base: any MutationLog
  private let state = Mutex(State())
  /// The queue on which reads complete.
  ///
  /// It is concurrent, so that a slow completion delays no other one.
  private let threads = DispatchQueue(label: "delayed reads", attributes: .concurrent)

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

  /// The number of times that a session was loaded.
  package func loads(of id: String) -> Int { state.withLock { $0.loads[id] ?? 0 } }

  /// Completes the reads of a session that are held, in order and on another thread, and holds no
  /// further ones.
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
    threads.async { for held in reads { held.read(error) } }
  }

  fileprivate func didBeginLoad(of id: String) {
    state.withLock { $0.loads[id, default: 0] += 1 }
  }

  /// Performs a read later, and calls its completion on another thread.
  ///
  /// - Parameters:
  ///   - id: The session, or `nil` for a read of several, which is never held.
  ///   - completion: The completion.
  ///   - read: Begins the read of the other log.
  fileprivate func delay<Value: Sendable>(
    _ id: String?, _ completion: @escaping ReadCompletion<Value>,
    _ read: @escaping @Sendable (@escaping ReadCompletion<Value>) -> Void
  ) {
    let perform: Read = { error in
      if let error { completion(.failure(error)) } else { read(completion) }
    }
    let isHeld = state.withLock { state in
      guard let id, state.heldIDs.contains(id) else { return false }
      state.held.append((id, perform))
      return true
    }
    if !isHeld { threads.async { perform(nil) } }
  }

  // MARK: The log

  package var failure: LogError? { base.failure }

  package var changes: (any ChangeFeed)? { base.changes }

  package func willFold(_ reactor: String, schema: String) {
    base.willFold(reactor, schema: schema)
  }

  package func session(_ key: SessionKey) -> any SessionLog {
    DelayedSessionLog(base.session(key), of: key.id, in: self)
  }

  package func fork(
    _ source: SessionKey, at cursor: Cursor, to target: SessionKey, epoch: String,
    parameters: [UInt8]?, completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    base.fork(
      source, at: cursor, to: target, epoch: epoch, parameters: parameters,
      completion: completion)
  }

  package func sessions(
    of reactor: String, after id: String?, limit: Int,
    completion: @escaping ReadCompletion<[SessionSummary]>
  ) {
    delay(nil, completion) { [base] in
      base.sessions(of: reactor, after: id, limit: limit, completion: $0)
    }
  }

  package func unfinishedSessions(
    after key: SessionKey?, limit: Int, completion: @escaping ReadCompletion<[SessionKey]>
  ) {
    delay(nil, completion) { [base] in
      base.unfinishedSessions(after: key, limit: limit, completion: $0)
    }
  }

  package func dueTimers(
    after position: TimerPosition?, until time: Timestamp, limit: Int,
    completion: @escaping ReadCompletion<DueTimers>
  ) {
    delay(nil, completion) { [base] in
      base.dueTimers(after: position, until: time, limit: limit, completion: $0)
    }
  }

  package func timerCount(completion: @escaping ReadCompletion<Int>) {
    delay(nil, completion) { [base] in base.timerCount(completion: $0) }
  }

  package func sharedValue(_ name: String, completion: @escaping ReadCompletion<SharedValue?>) {
    delay(nil, completion) { [base] in base.sharedValue(name, completion: $0) }
  }

  package func share(
    _ value: SharedValue, as name: String,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    base.share(value, as: name, completion: completion)
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

  func load(schema: String?, completion: @escaping ReadCompletion<LoadedSession>) {
    log.didBeginLoad(of: id)
    log.delay(id, completion) { [base] in base.load(schema: schema, completion: $0) }
  }

  func record(completion: @escaping ReadCompletion<SessionRecord>) {
    log.delay(id, completion) { [base] in base.record(completion: $0) }
  }

  func entries(
    after version: Int, limit: Int, completion: @escaping ReadCompletion<[LogEntry]>
  ) {
    log.delay(id, completion) { [base] in
      base.entries(after: version, limit: limit, completion: $0)
    }
  }

  func snapshot(
    atOrBefore version: Int, of schema: String?,
    completion: @escaping ReadCompletion<Snapshot?>
  ) {
    log.delay(id, completion) { [base] in
      base.snapshot(atOrBefore: version, of: schema, completion: $0)
    }
  }

  func outcome(of key: String, completion: @escaping ReadCompletion<StoredOutcome?>) {
    log.delay(id, completion) { [base] in base.outcome(of: key, completion: $0) }
  }

  var collectsBatches: Bool { base.collectsBatches }

  func announce(_ source: any BatchSource) {
    base.announce(source)
  }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    base.create(
      epoch: epoch, parameters: parameters, replacesEnded: replacesEnded, completion: completion)
  }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    base.append(batch, to: epoch, expecting: version, completion: completion)
  }

  func end(completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    base.end(completion: completion)
  }

  func save(_ snapshot: Snapshot, of epoch: String) {
    base.save(snapshot, of: epoch)
  }
}
