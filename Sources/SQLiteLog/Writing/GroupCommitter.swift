internal import ReactorHost
internal import Synchronization
internal import SystemThreads

/// Writes what many threads bring, in groups: all that arrived during one commit is the next one.
///
/// Who has a batch that grows is asked for it as late as that.
///
/// One thread does nothing but write. Another one tells what became of it, in the same order, so
/// that whoever is told and takes his time keeps nothing from the disk; a third brings what is in the
/// write-ahead log into the database, see ``Checkpointer``.
final class GroupCommitter: Sendable {
  /// What became of a group.
  private struct Outcome: Sendable {
    let group: ArraySlice<WriteRequest>
    let results: [WriteResult]
  }

  /// What threads bring.
  private enum Arrival: Sendable {
    case request(WriteRequest)
    case source(any BatchSource)
  }

  /// What waits or is being written, and whose completion has not returned.
  private struct Load {
    var requests = 0
    var bytes = 0
    /// Whether somebody waits until there is none.
    var endIsAwaited = false
  }

  /// No transaction has more than so many operations.
  private static let groupBound = 4096
  /// No more than so many operations are on their way.
  private static let requestBound = 65_536
  /// Operations on their way hold no more than so many bytes, or are only one.
  private static let byteBound = 268_435_456
  /// How often a thread without work looks around, in seconds.
  private static let idleInterval = 600
  /// How soon it tries by itself to do what failed, in seconds.
  private static let failureInterval = 5

  private let file: StoreFile
  private let rules: StoreRules
  private let logger: Logger
  private let lock: Mutex<StoreLock?>
  private let load = Mutex(Load())
  private let arrivals = WorkQueue<Arrival>()
  private let outcomes = WorkQueue<Outcome>()
  private let checkpointer: Checkpointer
  private let isIdle = Semaphore()
  private let ended = Semaphore()

  /// Makes a committer and starts its threads, which end after ``close()``.
  ///
  /// - Parameters:
  ///   - file: A store that was prepared.
  ///   - lock: Its lock, which is kept until everything is written.
  ///   - rules: How much is kept.
  ///   - logger: Told where the store fails and when it works again.
  /// - Throws: Where the system gives no threads.
  init(
    _ file: StoreFile, lock: StoreLock, rules: StoreRules, logger: Logger
  ) throws(SQLiteLogError) {
    self.file = file
    self.lock = Mutex(lock)
    self.rules = rules
    self.logger = logger
    let noThread = SQLiteLogError(.unreadable, "the system gives no thread for the store")
    guard let checkpointer = Checkpointer(file, logger: logger) else { throw noThread }
    self.checkpointer = checkpointer
    guard
      SystemThread(named: "log-writer", { [self] in writeGroups() }) != nil,
      SystemThread(named: "log-teller", { [self] in tellOutcomes() }) != nil
    else {
      arrivals.close()
      checkpointer.close()
      throw noThread
    }
  }

  /// Writes something with the next group.
  ///
  /// The request's completion is called once it is on the disk, on a thread of this object, or at
  /// once, on this thread, where so much waits that nothing more is taken.
  func write(_ request: WriteRequest) {
    let isTaken = load.withLock { load in
      guard load.requests < Self.requestBound,
        load.bytes < Self.byteBound - request.size || load.requests == 0
      else { return false }
      load.requests += 1
      load.bytes += request.size
      return true
    }
    guard isTaken else {
      request.completion?(.failure(.unavailable("Too much waits to be written.")))
      return
    }
    guard arrivals.put(.request(request)) else {
      leave(1, bytes: request.size)
      request.completion?(.failure(.unavailable("The store is closed.")))
      return
    }
  }

  /// Asks a source for its batch when the next group begins, on the thread that writes it.
  func announce(_ source: any BatchSource) {
    load.withLock { $0.requests += 1 }
    guard arrivals.put(.source(source)) else {
      source.appendBatch()  // to be refused, as it is told then
      return leave(1, bytes: 0)
    }
  }

  /// A reactor reads snapshots of a schema from now on.
  func read(_ schema: String, of reactor: String) {
    rules.schemas.set(schema, of: reactor)
    write(WriteRequest(.lookAround, completion: nil))
  }

  /// Waits until nothing is on its way and no completion runs: what a completion brings in turn, as
  /// the snapshot after a commit, is waited for as well.
  func waitUntilIdle(within time: Duration) {
    let isBusy = load.withLock { load in
      load.endIsAwaited = load.requests > 0
      return load.endIsAwaited
    }
    guard isBusy, isIdle.wait(seconds: Int(clamping: max(1, time.components.seconds))) else {
      return
    }
    isIdle.signal()  // for whoever waits as well
  }

  /// Whether somebody waits until nothing is on its way.
  var endIsAwaited: Bool { load.withLock { $0.endIsAwaited } }

  /// Takes nothing more; what was taken is still written.
  func close() {
    arrivals.close()
  }

  /// Waits until everything that was taken before ``close()`` is on the disk and told.
  ///
  /// - Returns: Whether it was in time.
  func waitUntilEnded(within time: Duration) -> Bool {
    let hasEnded = ended.wait(seconds: Int(clamping: max(1, time.components.seconds)))
    if hasEnded { ended.signal() }  // for whoever waits as well
    return hasEnded
  }

  // MARK: The writing thread

  private func writeGroups() {
    var writer: LogWriter?
    var isBroken = false
    var health = StoreHealth(logger: logger)
    // At first there may be something to remove that an earlier process had left.
    var pause = 0
    // What takes several groups comes again with the next one, before what arrives.
    var unfinished: [WriteRequest] = []
    while let arrived = takeArrivals(waiting: pause, beside: unfinished) {
      var waiting = gather(arrived)
      if !unfinished.isEmpty { waiting = unfinished + waiting }
      unfinished = []
      guard !waiting.isEmpty || arrived.isEmpty else { continue }
      var rest = waiting[...]
      repeat {
        let group = rest.prefix(Self.groupBound)
        rest = rest.dropFirst(group.count)
        let results: [WriteResult]
        do throws(DatabaseError) {
          if writer == nil || isBroken {
            // Before the broken one goes: a write-ahead log that nobody has open is read anew from
            // its file, and with it what was refused.
            writer = try LogWriter(
              try file.connect(for: .writing), rules, afterFailure: isBroken)
            isBroken = false
          }
          results = try writer?.write(group) ?? []
          health.succeeded()
          pause = writer?.isAtRest ?? true ? Self.idleInterval : 0
        } catch {
          if error.breaksConnection { isBroken = true }
          health.failed(error)
          pause = Self.failureInterval
          results = group.map { _ in .refused(error.logError) }
        }
        for (offset, result) in results.enumerated() where result == .unfinished {
          unfinished.append(group[group.startIndex + offset])
        }
        if !group.isEmpty { _ = outcomes.put(Outcome(group: group, results: results)) }
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
    outcomes.close()
  }

  /// What has arrived; `nil` at the end, before which everything is finished.
  private func takeArrivals(waiting pause: Int, beside unfinished: [WriteRequest]) -> [Arrival]? {
    guard !unfinished.isEmpty else { return arrivals.takeAll(waiting: pause) }
    return arrivals.takeAll(waiting: 0) ?? []
  }

  /// What the next group is made of: the requests that have arrived, and what the sources append.
  private func gather(_ arrived: [Arrival]) -> [WriteRequest] {
    // What sources append comes back through the queue, and what else came meanwhile with it.
    ask(arrived) + ask(arrivals.takeAll(waiting: 0) ?? [])
  }

  /// Asks the sources that have arrived.
  ///
  /// - Returns: The requests that have.
  private func ask(_ arrived: [Arrival]) -> [WriteRequest] {
    arrived.compactMap { arrival in
      switch arrival {
      case .request(let request): return request
      case .source(let source):
        source.appendBatch()
        leave(1, bytes: 0)
        return nil
      }
    }
  }

  // MARK: The telling thread

  private func tellOutcomes() {
    while let waiting = outcomes.takeAll(waiting: Self.idleInterval) {
      for outcome in waiting { tell(outcome) }
    }
    // The writer has closed its connection before it closed the queue.
    lock.withLock { $0 = nil }
    ended.signal()
  }

  private func tell(_ outcome: Outcome) {
    var (count, bytes) = (0, 0)
    for (request, result) in zip(outcome.group, outcome.results) {
      switch result {
      case .written: request.completion?(.success(()))
      case .refused(let error): request.completion?(.failure(error))
      case .unfinished: continue
      }
      count += 1
      bytes += request.size
    }
    leave(count, bytes: bytes)
  }

  private func leave(_ count: Int, bytes: Int) {
    let endIsAwaited = load.withLock { load in
      load.requests -= count
      load.bytes -= bytes
      guard load.requests == 0, load.endIsAwaited else { return false }
      load.endIsAwaited = false
      return true
    }
    if endIsAwaited { isIdle.signal() }
  }
}
