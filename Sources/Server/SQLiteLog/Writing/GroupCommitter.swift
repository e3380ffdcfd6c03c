internal import ReactorLog
internal import Shares
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

    /// The client that the arrival takes turns for, or 0 for none.
    var owner: Int {
      switch self {
      case .call: 0
      case .request(let request): request.owner
      case .source(let source): source.owner
      }
    }
  }

  /// The maximum number of operations in a transaction, and of those in a transaction while more wait.
  private static let groupBound = 4096
  private static let turnBound = 256
  /// The interval of the maintenance of an idle store, in seconds.
  private static let idleInterval = 600
  /// The interval at which a failing store is tried again, in seconds.
  private static let failureInterval = 5

  private let file: StoreFile
  private let rules: StoreRules
  private let health: StoreHealth
  private let lock: Mutex<StoreLock?>
  private let load = PendingLoad()
  private let arrivals = BlockingInbox<Arrival>()
  private let completed = BlockingInbox<CompletedGroup>()
  private let checkpointer: Checkpointer
  /// Publishes the changes, or returns `nil` if they are not retained.
  private let publisher: ChangePublisher?
  /// The client whose batch is being appended; used by `log-writer` only.
  private let appending = Atomic<Int>(0)

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
    guard load.admit(bytes: request.size) else {
      request.completion?(.failure(.unavailable("Too many writes are pending.")))
      return
    }
    guard arrivals.send(.request(request)) else {
      load.remove(bytes: request.size)
      request.completion?(.failure(.unavailable("The store is closed.")))
      return
    }
  }

  /// The client of the batch that a source appends, during the call of the source.
  var appendingOwner: Int { appending.load(ordering: .relaxed) }

  /// Requests the batch of a source when the next group is formed, on `log-writer`.
  func announce(_ source: any BatchSource) {
    load.add()
    guard arrivals.send(.source(source)) else {
      source.appendBatch()  // the append fails because the store is closed
      return load.remove()
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
    load.waitUntilIdle(within: time)
  }

  /// Whether a thread waits until no operation is pending.
  var idlenessIsAwaited: Bool { load.idlenessIsAwaited }

  /// Rejects operations from now on; pending ones are still written.
  func close() {
    arrivals.close()
  }

  /// Blocks until the threads have ended after ``close()``.
  ///
  /// - Returns: Whether they ended in time.
  func waitUntilEnded(within time: Duration) -> Bool {
    load.waitUntilEnded(within: time)
  }

  // MARK: log-writer

  private func writeGroups() {
    var writer: LogWriter?
    var isBroken = false
    // Start without a pause: an earlier process may have left maintenance to do.
    var pause = 0
    // The operations that a group had no room for, and forks that take several groups: clients take turns.
    var waiting = FairQueue<Int, Arrival>(width: .max)
    while let arrived = arrivals.receive(waiting: waiting.isEmpty ? pause : 0)
      ?? (waiting.isEmpty ? nil : [])
    {
      let group = makeGroup(of: arrived, beside: &waiting)
      guard !group.isEmpty || arrived.isEmpty else { continue }
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
        outcome = writer?.write(group[...]) ?? WriteOutcome()
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
      if results.count < group.count {
        waiting.putBack(group[results.count...].map { ($0.owner, .request($0)) })
      }
      // The first one had the bytes that a group copies: it continues after the others.
      let unfinished = results.indices.filter { results[$0] == .unfinished }.map { group[$0] }
      for request in unfinished.dropFirst() + unfinished.prefix(1) {
        waiting.append(.request(request), of: request.owner)
      }
      if !results.isEmpty {
        _ = completed.send(
          CompletedGroup(
            group: group.prefix(results.count), results: results, latestChange: writer?.latestChange
          ))
      }
      if let writer { checkpointer.didCommit(length: writer.logLength, writer.checkpoint) }
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

  /// Returns the requests of the next group: those that have arrived, and those that the sources append; in
  /// turn by client if they are more than a group has, or others wait.
  private func makeGroup(
    of arrived: [Arrival], beside waiting: inout FairQueue<Int, Arrival>
  ) -> [WriteRequest] {
    var group: [WriteRequest] = []
    if waiting.isEmpty, arrived.count <= Self.groupBound {
      group.reserveCapacity(arrived.count)
      for arrival in arrived { begin(arrival, &group) }
    } else {
      for arrival in arrived { enqueue(arrival, &waiting) }
      for _ in 0..<Self.turnBound {
        guard let next = waiting.begin() else { break }
        waiting.end(next.owner)
        begin(next.job, &group)
      }
    }
    // Sources append their requests to the inbox: receive these as well.
    for arrival in arrivals.receive(waiting: 0) ?? [] {
      // Not before the earlier ones of the client.
      if case .request(let request) = arrival, !waiting.hasJobs(of: request.owner) {
        group.append(request)
      } else {
        enqueue(arrival, &waiting)
      }
    }
    if group.count > Self.groupBound {
      waiting.putBack(group[Self.groupBound...].map { ($0.owner, .request($0)) })
      group.removeLast(group.count - Self.groupBound)
    }
    return group
  }

  private func enqueue(_ arrival: Arrival, _ waiting: inout FairQueue<Int, Arrival>) {
    guard case .call(let function) = arrival else {
      return waiting.append(arrival, of: arrival.owner)
    }
    call(function)
  }

  private func call(_ function: @escaping @Sendable () -> Void) {
    _ = completed.send(CompletedGroup(group: [], results: [], latestChange: nil, call: function))
  }

  /// Adds the request of an arrival to a group, or requests the batch of its source.
  private func begin(_ arrival: Arrival, _ group: inout [WriteRequest]) {
    switch arrival {
    case .call(let function): call(function)
    case .request(let request): group.append(request)
    case .source(let source):
      appending.store(source.owner, ordering: .relaxed)
      source.appendBatch()
      load.remove()
    }
  }

  // MARK: log-completion

  private func complete() {
    while let groups = completed.receive(waiting: Self.idleInterval) {
      for group in groups { complete(group) }
    }
    // Release the lock: the writer closed its connection before it closed the inbox.
    lock.withLock { $0 = nil }
    load.end()
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
    load.remove(count, bytes: bytes)
  }
}

/// The committer of a store, or `nil` if the store is open for reading only.
extension GroupCommitter? {
  /// Writes an operation with the next group, or rejects it.
  func write(_ request: WriteRequest) {
    guard let self else { return request.rejectWriting() }
    self.write(request)
  }

  /// Writes an operation for a client, or for the one whose work this is, and waits until it is on the disk.
  func execute(_ operation: WriteOperation, of owner: Int? = nil) async throws(LogError) {
    try await operation.execute(of: owner ?? Account.current?.number ?? 0) { write($0) }
  }
}
