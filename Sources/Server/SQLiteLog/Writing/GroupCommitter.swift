internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// Writes the operations of many threads in groups: the operations that arrive during one commit
/// form the next group.
///
/// A source appends its batch when its group is formed.
///
/// The thread `log-writer` only writes. The thread `log-completion` calls the completions, in the same
/// order, so that a slow one does not delay the next commit. The thread `log-checkpoint` copies the
/// write-ahead log to the database, see ``Checkpointer``.
final class GroupCommitter: Sendable {
  private struct CompletedGroup: Sendable {
    let group: ArraySlice<WriteRequest>
    let results: [WriteResult]
    /// The number of the last committed change, or `nil` if changes are not retained.
    let latestChange: Int?
    /// A function to call after the completions of the earlier groups.
    var call: (@Sendable () -> Void)?
  }

  private enum Arrival: Sendable {
    case call(@Sendable () -> Void)
    case request(WriteRequest)
    case source(any BatchSource)
  }

  /// The pending requests: those whose completion has not returned.
  private struct Load {
    var requests = 0
    var bytes = 0
    /// Whether a thread waits until no request is pending.
    var isAwaited = false
  }

  /// The maximum number of operations in a transaction.
  private static let groupBound = 4096
  /// The maximum number of pending operations.
  private static let requestBound = 65_536
  /// The maximum number of bytes of the pending operations, unless there is only one.
  private static let byteBound = 268_435_456
  /// The interval of the maintenance of an idle store, in seconds.
  private static let idleInterval = 600
  /// The interval at which a failing store is tried again, in seconds.
  private static let failureInterval = 5

  private let file: StoreFile
  private let rules: StoreRules
  private let health: StoreHealth
  private let lock: Mutex<StoreLock?>
  private let load = Mutex(Load())
  private let arrivals = BlockingInbox<Arrival>()
  private let completed = BlockingInbox<CompletedGroup>()
  private let checkpointer: Checkpointer
  /// Publishes the changes, or returns `nil` if they are not retained.
  private let publisher: ChangePublisher?
  private let isIdle = Semaphore()
  private let ended = Semaphore()

  /// Creates a committer and starts its threads, which end after ``close()``.
  ///
  /// - Parameters:
  ///   - file: A store that is prepared.
  ///   - lock: The lock of the store, released when all operations are written.
  ///   - rules: How much is retained.
  ///   - publisher: Publishes the changes, or returns `nil` if they are not retained.
  ///   - logger: Logs when writes begin to fail, and when they succeed again.
  /// - Throws: If no thread can be created.
  init(
    _ file: StoreFile, lock: StoreLock, rules: StoreRules, publisher: ChangePublisher? = nil,
    logger: Logger
  ) throws(SQLiteLogError) {
    self.file = file
    self.lock = Mutex(lock)
    self.rules = rules
    self.publisher = publisher
    health = StoreHealth(logger: logger)
    let noThread = SQLiteLogError(.unreadable, "cannot create a thread for the store")
    guard let checkpointer = Checkpointer(file, logger: logger) else { throw noThread }
    self.checkpointer = checkpointer
    guard
      SystemThread(named: "log-writer", { [self] in writeGroups() }) != nil,
      SystemThread(
        named: "log-completion",
        { [self] in CompletionThread.$isCurrent.withValue(true) { complete() } }) != nil
    else {
      arrivals.close()
      checkpointer.close()
      throw noThread
    }
  }

  /// Why writes fail, or `nil` if they succeed.
  var failure: LogError? {
    if let failure = health.failure { return failure }
    do throws(DatabaseError) {
      try file.presence.check()
      return nil
    } catch {
      return error.logError
    }
  }

  /// Writes an operation with the next group.
  ///
  /// The completion is called on `log-completion` once the operation is on the disk or has failed;
  /// or immediately, on this thread, if too much is pending or the store is closed.
  func write(_ request: WriteRequest) {
    let isAccepted = load.withLock { load in
      guard load.requests < Self.requestBound,
        load.bytes < Self.byteBound - request.size || load.requests == 0
      else { return false }
      load.requests += 1
      load.bytes += request.size
      return true
    }
    guard isAccepted else {
      request.completion?(.failure(.unavailable("Too many writes are pending.")))
      return
    }
    guard arrivals.send(.request(request)) else {
      didComplete(1, bytes: request.size)
      request.completion?(.failure(.unavailable("The store is closed.")))
      return
    }
  }

  /// Requests the batch of a source when the next group is formed, on `log-writer`.
  func announce(_ source: any BatchSource) {
    load.withLock { $0.requests += 1 }
    guard arrivals.send(.source(source)) else {
      source.appendBatch()  // the append fails because the store is closed
      return didComplete(1, bytes: 0)
    }
  }

  /// Calls a function on `log-completion`, once `log-writer` has received it.
  ///
  /// A closed committer calls nothing.
  func callOnThreads(_ function: @escaping @Sendable () -> Void) {
    _ = arrivals.send(.call(function))
  }

  /// Sets the schema of the snapshots that a reactor can decode.
  func setSchema(_ schema: String, of reactor: String) {
    rules.schemas.set(schema, of: reactor)
    write(WriteRequest(.maintenance, completion: nil))
  }

  /// Blocks until no operation is pending, including operations that completions write.
  func waitUntilIdle(within time: Duration) {
    let isBusy = load.withLock { load in
      load.isAwaited = load.requests > 0
      return load.isAwaited
    }
    guard isBusy, isIdle.wait(for: Self.bounded(time)) else { return }
    isIdle.signal()  // for other waiting threads
  }

  /// Whether a thread waits until no operation is pending.
  var idlenessIsAwaited: Bool { load.withLock { $0.isAwaited } }

  /// Rejects operations from now on; pending ones are still written.
  func close() {
    arrivals.close()
  }

  /// Blocks until the threads have ended after ``close()``.
  ///
  /// - Returns: Whether they ended in time.
  func waitUntilEnded(within time: Duration) -> Bool {
    let hasEnded = ended.wait(for: Self.bounded(time))
    if hasEnded { ended.signal() }  // for other waiting threads
    return hasEnded
  }

  /// A time that a semaphore accepts.
  private static func bounded(_ time: Duration) -> Duration {
    (Duration.zero ... .seconds(1_000_000_000)).nearest(time)
  }

  // MARK: log-writer

  private func writeGroups() {
    var writer: LogWriter?
    var isBroken = false
    // Start without a pause: an earlier process may have left maintenance to do.
    var pause = 0
    // Operations that take several groups precede the ones that arrive.
    var unfinished: [WriteRequest] = []
    while let arrived = receiveArrivals(waiting: pause, beside: unfinished) {
      // Append in place, because a concatenation would copy the requests.
      var pending = unfinished
      unfinished = []
      appendRequests(of: arrived, to: &pending)
      guard !pending.isEmpty || arrived.isEmpty else { continue }
      var rest = pending[...]
      repeat {
        var group = rest.prefix(Self.groupBound)
        let outcome: WriteOutcome
        do throws(DatabaseError) {
          if writer == nil || isBroken {
            // The broken connection is closed after the new one is open: without an open
            // connection, SQLite would recover the write-ahead log from its file, including
            // rejected operations. Like a writer after a failure, the first writer always writes a
            // page in its first transaction, which shows whether the store can be written.
            writer = try LogWriter(file, rules, afterFailure: isBroken || writer == nil)
            isBroken = false
          }
          outcome = writer?.write(group) ?? WriteOutcome()
        } catch {
          outcome = WriteOutcome(
            results: group.map { _ in .rejected(error.logError) }, failure: error)
        }
        if let failure = outcome.failure {
          if failure.breaksConnection { isBroken = true }
          health.failed(failure)
          pause = Self.failureInterval
        } else {
          health.succeeded()
          pause = writer?.isIdle ?? true ? Self.idleInterval : 0
        }
        let results = outcome.results
        group = group.prefix(results.count)
        rest = rest.dropFirst(results.count)
        for (offset, result) in results.enumerated() where result == .unfinished {
          unfinished.append(group[group.startIndex + offset])
        }
        if !group.isEmpty {
          _ = completed.send(
            CompletedGroup(group: group, results: results, latestChange: writer?.latestChange))
        }
        if let writer { checkpointer.didCommit(length: writer.logLength, writer.checkpoint) }
      } while !rest.isEmpty
    }
    checkpointer.close()
    do throws(DatabaseError) {
      try writer?.finish()
    } catch {
      health.failed(error)
    }
    writer = nil
    completed.close()
  }

  /// The next arrivals, or `nil` once the inbox is closed and nothing is unfinished.
  private func receiveArrivals(
    waiting pause: Int, beside unfinished: [WriteRequest]
  ) -> [Arrival]? {
    guard !unfinished.isEmpty else { return arrivals.receive(waiting: pause) }
    return arrivals.receive(waiting: 0) ?? []
  }

  /// Appends the requests of the next group: those that have arrived, and those that the sources append.
  private func appendRequests(of arrived: [Arrival], to pending: inout [WriteRequest]) {
    askSources(arrived, &pending)
    // Sources append their requests to the inbox: receive these as well.
    askSources(arrivals.receive(waiting: 0) ?? [], &pending)
  }

  /// Appends the requests among the arrivals, and requests the batches of the sources.
  private func askSources(_ arrived: [Arrival], _ pending: inout [WriteRequest]) {
    pending.reserveCapacity(pending.count + arrived.count)
    for arrival in arrived {
      switch arrival {
      case .call(let function):
        _ = completed.send(
          CompletedGroup(group: [], results: [], latestChange: nil, call: function))
      case .request(let request): pending.append(request)
      case .source(let source):
        source.appendBatch()
        didComplete(1, bytes: 0)
      }
    }
  }

  // MARK: log-completion

  private func complete() {
    while let groups = completed.receive(waiting: Self.idleInterval) {
      for group in groups { complete(group) }
    }
    // Release the lock: the writer closed its connection before it closed the inbox.
    lock.withLock { $0 = nil }
    ended.signal()
  }

  private func complete(_ completed: CompletedGroup) {
    var (count, bytes) = (0, 0)
    for (request, result) in zip(completed.group, completed.results) {
      switch result {
      case .written: request.completion?(.success(()))
      case .rejected(let error): request.completion?(.failure(error))
      case .unfinished: continue
      }
      count += 1
      bytes += request.size
    }
    completed.call?()
    // Publish the changes after the completions, which publish the states.
    if let latest = completed.latestChange { publisher?.publish(latest) }
    didComplete(count, bytes: bytes)
  }

  private func didComplete(_ count: Int, bytes: Int) {
    let isAwaited = load.withLock { load in
      load.requests -= count
      load.bytes -= bytes
      guard load.requests == 0, load.isAwaited else { return false }
      load.isAwaited = false
      return true
    }
    if isAwaited { isIdle.signal() }
  }
}
