internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// The log of one session, with the end that its writes follow, and the data that was read with
/// it.
///
/// A write follows the last message that this object has read or written. If another writer has
/// appended a message in between, the next write fails, and the session is read again.
final class NATSSessionLog: SessionLog {
  struct State {
    /// The end of the log that the next write follows, or `nil` while it is not known.
    var claim: SessionHead?
    /// The sequence of the last message, anchors excluded, that this object has read or written,
    /// see ``SessionHead/content``, or `nil` before the first read.
    var seen: Int?
    /// The outcomes that were appended since the claim was read, and the earlier ones, once they
    /// are read.
    var outcomes = SessionOutcomes()
    /// The shared read of earlier outcomes, or `nil` before the first lookup.
    var outcomeReads: SharedRead?
    /// The latest snapshots of a history, once they are known.
    var snapshots: (epoch: String, chain: SnapshotRecord.Chain)?
    /// Whether the messages are being moved into pages.
    var isCompacting = false
    /// The messages that are to be moved into pages, as far as this object has appended them.
    var recent = RecentMessages()
    /// The requests to confirm the end of the log, once there was one.
    var confirmations: EndConfirmations?
  }

  /// The number of messages after which the session's own process moves them into pages.
  ///
  /// Those of sessions that are written to less often are moved when their stream is cleaned.
  static let compactionInterval = 256

  /// The maximum number of snapshots that wait to be stored.
  private static let snapshotBound = 4

  let key: SessionKey
  let store: NATSStore
  let marks: SessionMarks
  let state = Mutex(State())
  private let writes = SerialOperations()
  private let saves = SerialOperations()

  init(_ key: SessionKey, in store: NATSStore) {
    self.key = key
    self.store = store
    marks = SessionMarks(key, in: store)
  }

  deinit { store.recentSize.subtract(state.withLock { $0.recent.size }, ordering: .relaxed) }

  /// `false`: each session has its own messages.
  var collectsBatches: Bool { false }

  var history: HistoryReader { store.history(of: key) }

  // MARK: Reading the end

  /// Reads the end of the log, from which the next write continues.
  func readHead() async throws(LogError) -> SessionHead {
    try await withClaim { head async throws(LogError) in head }
  }

  /// Executes a function with the end of the log, from which the next write continues.
  func withClaim<Value: Sendable>(
    _ body: (SessionHead) async throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    try await history.withHead(notBefore: knownEnd) { head async throws(LogError) in
      state.withLock { state in
        // While a write is in progress, the claim is not replaced: the write determines the next
        // end.
        guard !writes.isBusy, state.claim?.sequence ?? -1 <= head.sequence else { return }
        claim(head, in: &state)
      }
      return try await body(head)
    }
  }

  private func claim(_ head: SessionHead, in state: inout State) {
    // If only anchors were appended, the outcomes are unchanged.
    if state.claim?.content != head.content || state.claim?.epoch != head.epoch {
      state.outcomes.begin(after: head)
    }
    state.claim = head
    state.seen = head.content
    marks.didRead(head)
  }

  /// The sequence of the last message that this object has read or written; 0 if it is not known.
  ///
  /// A read of the log that ends before it lacks acknowledged mutations.
  var knownEnd: Int {
    state.withLock { state in
      guard let claim = state.claim, claim.status == .stored else { return 0 }
      return claim.sequence
    }
  }

  var confirmations: EndConfirmations {
    state.withLock { state in
      let confirmations = state.confirmations ?? EndConfirmations(store.executor)
      state.confirmations = confirmations
      return confirmations
    }
  }

  /// Whether the session did not exist when its end was last read or written.
  var isKnownToBeAbsent: Bool { state.withLock { $0.claim?.status == SessionHead.Status.none } }

  // MARK: Writing

  /// The decision about a write that follows an end of the log.
  enum Decision {
    case write(LogMessage)
    case reject(LogError)
    /// There is nothing to write.
    case finish
  }

  /// Writes a message after the end of the log.
  ///
  /// - Parameters:
  ///   - decide: Returns the decision for an end of the log. If it rejects the end in memory, the
  ///     end is read, and the function is called again. A batch is then rejected if another process
  ///     has appended a message: the session has looked up its keys without that message.
  ///   - completion: Called once, on the concurrent queue.
  func write(
    _ decide: @escaping @Sendable (SessionHead) -> Decision,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    writes.add { [self] done in
      @Sendable func finish(_ result: Result<Void, LogError>) {
        store.executor.complete {
          completion(result)
          done()
        }
      }
      if let claim = state.withLock({ $0.claim }) {
        let decision = decide(claim)
        guard case .reject = decision else {
          return carryOut(decision, decide, after: claim, finish)
        }
      }
      store.executor.detach { [self] in
        do throws(LogError) {
          let head = try await history.head()
          let isSeen = state.withLock { state in
            defer { claim(head, in: &state) }
            return state.seen == nil || state.seen == head.content
          }
          var decision = decide(head)
          if !isSeen, case .write(let message) = decision, message.kind == .batch {
            decision = .reject(.lost(to: head.writer.map { NodeID($0) }))
          }
          carryOut(decision, decide, after: head, finish)
        } catch {
          finish(.failure(error))
        }
      }
    }
  }

  private func carryOut(
    _ decision: Decision, _ decide: @escaping @Sendable (SessionHead) -> Decision,
    after head: SessionHead, _ finish: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    switch decision {
    case .finish: finish(.success(()))
    case .reject(let error): finish(.failure(error))
    case .write(let message):
      guard marks.lacks(for: message) else { return append(message, decide, after: head, finish) }
      // The marks are written before the message: a crash between the two leaves a mark that is ignored.
      store.executor.detach { [self] in
        do throws(LogError) {
          try await marks.add(for: message)
          append(message, decide, after: head, finish)
        } catch {
          finish(.failure(error))
        }
      }
    }
  }

  private func append(
    _ message: LogMessage, _ decide: @escaping @Sendable (SessionHead) -> Decision,
    after head: SessionHead, _ finish: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    let names = store.names
    let payload = message.json(expecting: head.sequence)
    guard payload.count <= store.batchBound else {
      state.withLock { $0.claim = nil }
      return finish(.failure(.tooLarge))
    }
    store.append(
      payload,
      void: { head.voiding(now: .now).json(expecting: head.sequence) },
      to: names.logSubject(of: key), in: names.log(names.logNumber(of: key)),
      expecting: head.sequence
    ) { [self] result in
      switch result {
      case .success(let sequence):
        didAppend(message, after: head, at: sequence)
        finish(.success(()))
      case .failure(.lost(let winner)): continueAfterAnchor(head, decide, winner, finish)
      case .failure(let error):
        state.withLock { $0.claim = nil }
        finish(.failure(error))
      }
    }
  }

  /// Another message follows the end of the log: if only anchors do, the write continues after them.
  private func continueAfterAnchor(
    _ head: SessionHead, _ decide: @escaping @Sendable (SessionHead) -> Decision,
    _ winner: NodeID?, _ finish: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    store.executor.detach { [self] in
      do throws(LogError) {
        let next = try await history.head()
        guard next.content == head.content, next.sequence > head.sequence else {
          throw .lost(to: next.writer.map { NodeID($0) } ?? winner)
        }
        state.withLock { claim(next, in: &$0) }
        carryOut(decide(next), decide, after: next, finish)
      } catch {
        state.withLock { $0.claim = nil }
        finish(.failure(error))
      }
    }
  }

  private func didAppend(_ message: LogMessage, after head: SessionHead, at sequence: Int) {
    let next = head.following(message, at: sequence, by: store.engine.writer)
    state.withLock { state in
      if message.kind == .create || message.kind == .end {
        state.outcomes.clear()
      }
      for outcome in message.batch.outcomes {
        state.outcomes.add(outcome, retaining: store.outcomeRetention)
      }
      state.claim = next
      state.seen = next.content
      retain(message, after: head, at: sequence, in: &state)
    }
    if !message.batch.timers.isEmpty || message.kind == .end && head.timers > 0 {
      store.timers.set(next, of: key, in: store.names)
    }
    store.didCommit()
    marks.didAppend(next) { [weak self] removal in self?.removeMarks(removal) }
    let count = next.index.count
    if count >= Self.compactionInterval, count.isMultiple(of: 64) { compact() }
  }

  // MARK: Pages

  /// Retains a message that was appended until it is in a page.
  private func retain(
    _ message: LogMessage, after head: SessionHead, at sequence: Int, in state: inout State
  ) {
    let size = state.recent.size
    state.recent.append(message, after: head.sequence, at: sequence)
    let total = store.recentSize.add(state.recent.size - size, ordering: .relaxed).newValue
    guard total > RecentMessages.totalBound else { return }
    store.recentSize.subtract(state.recent.size, ordering: .relaxed)
    state.recent = RecentMessages()
  }

  /// Moves the messages into pages.
  ///
  /// The session can be written to meanwhile: only the anchor is appended as one of its writes.
  private func compact() {
    let begun = state.withLock { state -> (SessionHead, RecentMessages)? in
      guard !state.isCompacting, let claim = state.claim else { return nil }
      state.isCompacting = true
      return (claim, state.recent)
    }
    guard let (head, recent) = begun else { return }
    store.executor.detach { [self] in
      var compaction: SessionCompaction?
      do throws(LogError) {
        var begun = try await SessionCompaction(key, head, in: store)
        if try await begun.consume(head, recent) {
          try await begun.retain(isThorough: false)
          compaction = begun
        }
      } catch {
        logCompaction(error)
      }
      guard let compaction else { return state.withLock { $0.isCompacting = false } }
      writes.add { [self] done in
        store.executor.detach { [self] in
          await anchor(compaction)
          state.withLock { $0.isCompacting = false }
          done()
        }
      }
    }
  }

  /// Appends the anchor of a compaction after the last write.
  private func anchor(_ compaction: SessionCompaction) async {
    let (claim, recent) = state.withLock { ($0.claim, $0.recent) }
    guard let head = claim, head.status == .stored else { return }
    var compaction = compaction
    do throws(LogError) {
      guard try await compaction.consume(head, recent) else { return }
      let anchor = compaction.anchor(after: head)
      let sequence = try await store.append(anchor, of: key, expecting: head.sequence)
      state.withLock { state in
        state.claim = head.following(anchor, at: sequence, by: store.engine.writer)
        retain(anchor, after: head, at: sequence, in: &state)
      }
    } catch {
      // The next write finds out whether the anchor is stored.
      return logCompaction(error)
    }
    store.executor.detach { [compaction] in try? await compaction.deleteDropped() }
  }

  private func logCompaction(_ error: LogError) {
    store.logger.warning(
      "the messages of a session were not moved into pages",
      ["reactor": key.reactor, "session": key.id, "reason": error.reason])
  }

  /// Removes marks that the session no longer needs, between two writes.
  private func removeMarks(_ removal: @escaping @Sendable () async -> Void) {
    writes.add { [self] done in
      store.executor.detach {
        await removal()
        done()
      }
    }
  }

  func create(
    epoch: String, parameters: [UInt8]?, replacesEnded: Bool,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    write(
      { head in
        head.status == .stored || head.status == .ended && !replacesEnded
          ? .reject(.conflict)
          : .write(head.creating(epoch, parameters: parameters, now: .now))
      }, completion: completion)
  }

  func append(
    _ batch: LogBatch, to epoch: String, expecting version: Int,
    completion: @escaping @Sendable (Result<Void, LogError>) -> Void
  ) {
    write(
      { [bound = store.batchBound] head in
        guard head.accepts(epoch, version) else { return .reject(.conflict) }
        guard head.hasRoom(for: batch, in: bound) else { return .reject(.tooLarge) }
        return .write(head.appending(batch, to: epoch, now: .now, bound: bound))
      }, completion: completion)
  }

  func end(completion: @escaping @Sendable (Result<Void, LogError>) -> Void) {
    write({ head in head.status == .ended ? .finish : .write(head.ending(now: .now)) }) {
      [self] result in
      completion(result)
      guard case .success = result else { return }
      let snapshots = store.snapshots(of: key)
      let pages = store.pages(of: key)
      let dropped = state.withLock { $0.claim?.beginning.dropped } ?? []
      // If the process ends before, cleaning completes the deletion.
      store.executor.detach {
        try? await snapshots.deleteLatest()
        try? await pages.delete(dropped)
      }
    }
  }

  // MARK: Snapshots

  func save(_ snapshot: Snapshot, of epoch: String) {
    guard snapshot.state.count + 4096 <= store.payloadBound else {
      return store.logger.warning(
        "a snapshot exceeds max_payload of the brokers and is not stored",
        ["reactor": key.reactor, "session": key.id, "bytes": "\(snapshot.state.count)"])
    }
    // A snapshot only shortens later reads: it is skipped if too many wait.
    guard saves.waitingCount < Self.snapshotBound else { return }
    store.saves.add(1, ordering: .relaxed)
    saves.add { [self] done in
      store.executor.detach { [self] in
        try? await store(snapshot, epoch)
        store.saves.subtract(1, ordering: .relaxed)
        done()
      }
    }
  }

  private func store(_ snapshot: Snapshot, _ epoch: String) async throws(LogError) {
    let claim = state.withLock { $0.claim }
    let head: SessionHead
    if let claim { head = claim } else { head = try await history.head(isComplete: false) }
    guard head.status == .stored, head.epoch == epoch, snapshot.version <= head.version else {
      return
    }
    let snapshots = store.snapshots(of: key)
    var chain = state.withLock { $0.snapshots?.epoch == epoch ? $0.snapshots?.chain : nil }
    if chain == nil, let (sequence, record) = try await snapshots.latest(), record.epoch == epoch {
      let latest = SnapshotRecord.Earlier(
        version: record.snapshot.version, sequence: sequence, schema: record.snapshot.schema)
      var found = record.chain
      found.earlier = Array(([latest] + found.earlier).prefix(SnapshotRecord.retained - 1))
      chain = found
    }
    var earlier = chain ?? SnapshotRecord.Chain()
    guard snapshot.version >= earlier.earlier.first?.version ?? 1 else { return }
    // A snapshot of another schema at the same version is replaced.
    earlier.earlier.removeAll { $0.version >= snapshot.version }
    let saved = try await snapshots.save(snapshot, of: epoch, after: earlier)
    state.withLock { $0.snapshots = (epoch, saved) }
  }
}
