public import ReactorCore
internal import ReactorLog
internal import Shares
internal import Synchronization
internal import Telemetry

/// Executes the decisions of ``CommitMachine``: passes the pipeline's reports to it, batches to the
/// log, and committed states to the observers and replies.
extension LiveSession {
  @usableFromInline
  func didConnect(_ state: Result<[UInt8], any Error>) {
    switch state {
    case .success(let json):
      countState(json.count)
      commits.withLock { $0.connected(at: json) }
    case .failure(let error): didFailToEncode(error)
    }
  }

  /// Records a mutation that was folded into the state, in the serial context.
  ///
  /// - Parameters:
  ///   - mutation: The mutation, as JSON.
  ///   - state: The state after it, as JSON, or `nil` if it was not encoded.
  ///   - action: The action that caused it.
  ///   - origin: The origin of the mutation.
  @usableFromInline
  func didReduce(
    _ mutation: consuming [UInt8], to state: consuming [UInt8]?, by action: ActionEffect?,
    from origin: MutationOrigin
  ) {
    var global: LogEntry.GlobalMark?
    if case .global(let name, let revision, _) = origin {
      let mark = LogEntry.GlobalMark(name: name, revision: revision)
      globals.didCause(mark)
      global = mark
    }
    lastClient.store(action?.reply.context?.account?.number ?? 0, ordering: .relaxed)
    // The closure moves the values out of variables: captured constants would be copied.
    var entry: LogEntry? = LogEntry(
      version: 0, at: .now, action: action?.json, global: global, mutation: mutation,
      by: action?.reply.principal?.id)
    var state: [UInt8]? = state
    let version = commits.withLock { machine in
      entry.take().flatMap { machine.reduced($0, to: state.take()) }
    }
    if let version { action?.reply.didCause(version) }
  }

  @usableFromInline
  func didFail(_ error: any Error, in stage: ReactorStage, of effect: (any TrackedEffect)?) {
    let counts = environment.counts
    (stage == .mutate ? counts.effectFailures : counts.streamFailures).add()
    // The reactor's own streams belong to no request.
    let request = stage == .mutate ? RequestContext.current?.logFields ?? [] : []
    let effect = effect as? ActionEffect
    // One line per request: an array can have a thousand actions.
    guard effect?.reply.takeLine() != false else { return }
    let isRejection = (error as? any ActionError).map { (400..<500).contains($0.status) } ?? false
    let isAwaited = effect.map { $0.reply.isAwaited($0.index) } ?? false
    let (level, message): (LogLevel, String) =
      switch stage {
      case .mutate where isRejection && isAwaited: (.debug, "action rejected")
      case .mutate where isRejection: (.warning, "action rejected, and no request waits for it")
      case .mutate: (.error, "effect failed")
      default: (.error, "stream of the reactor failed")
      }
    environment.logger.log(
      level.within(effect?.reply.context?.account), message,
      fields: [
        ("reactor", key.reactor), ("session", key.id), ("stage", stage.rawValue),
        ("error", "\(error)"),
      ] + request)
  }

  /// Ends the session: a mutation or state without JSON cannot be committed.
  @usableFromInline
  func didFailToEncode(_ error: any Error) {
    environment.logger.error(
      "state or mutation cannot be encoded as JSON",
      ["reactor": key.reactor, "session": key.id, "error": "\(error)"])
    close(
      .interrupted,
      fault: .corrupt("The new state cannot be encoded as JSON, so the change was not made."))
  }

  /// Ends a turn, in the serial context: announces its changes to the log.
  ///
  /// A log in memory commits the batch within this call. A response can then continue an effect of this
  /// session, whose changes are a further turn.
  @usableFromInline
  func didEndTurn() {
    while endTurn() {}
    marks.endTurn(in: marking)
    if !activityObservers.isEmpty { activityObservers.publish(activity) }
  }

  /// Announces the changes since the last call.
  ///
  /// - Returns: Whether there are new ones.
  private func endTurn() -> Bool {
    meter.endTurn()
    sends.outbox?.didEndTurn(of: self)
    switch commits.withLock({ $0.endTurn() }) {
    case .rest: return sends.outbox?.hasTurn ?? false
    case .announce:
      announceBatch()
      return commits.withLock { $0.hasTurn } || sends.outbox?.hasTurn ?? false
    case .encodeState:
      do {
        let json = try environment.witness.encodeShown(pipeline)
        meter.didEncodeWhole(json.count)
        commits.withLock { $0.encodedLastState(json) }
        return true
      } catch {
        didFailToEncode(error)
        return false
      }
    }
  }

  /// Appends the batch now, or when the log writes it together with those of other sessions.
  func announceBatch() {
    if log.collectsBatches { log.announce(self) } else { appendBatch() }
  }

  @usableFromInline var owner: Int { lastClient.load(ordering: .relaxed) }

  @usableFromInline
  func appendBatch() {
    // Assigned by the closure instead of returned: generic code would destroy the returned value.
    var taken: (batch: LogBatch, version: Int)?
    let stopwatch = Stopwatch()
    commits.withLock { taken = $0.takeBatch(at: stopwatch) }
    // `take()` moves the batch out of the variable, which a pattern would copy.
    guard case (var batch, let version)? = taken.take() else { return }
    if version == 0 { batch.parameters = parameters }
    if !batch.entries.isEmpty { batch.received = globals.claim() }
    // The closure captures nothing else, so that it needs no allocation.
    log.append(batch, to: epoch, expecting: version) { [self] result in
      switch result {
      case .success: didCommit()
      case .failure(let error): didReject(error)
      }
    }
  }

  /// Publishes the batch that the log has committed.
  private func didCommit() {
    var committed: CommitMachine<ActionReply>.Publication?
    let interval = environment.settings.snapshotInterval
    commits.withLock { committed = $0.committed(snapshotInterval: interval) }
    guard let publication = committed.take() else { return }
    countState(publication.latest.json.count)
    environment.counts.didCommit(publication.states.count, after: publication.stopwatch)
    for proceed in publication.continuations { proceed(true) }
    publication.replies.forEach { $0.reply.respond(with: publication.latest) }
    if let snapshot = publication.snapshot { log.save(snapshot, of: epoch) }
    if publication.snapshotIsDue { enqueueSnapshot() }
    guard publication.observers.count > ManyObservers.bound else { return notify(publication) }
    ManyObservers.queue.async { self.notify(publication) }
  }

  /// Enqueues a snapshot, which encodes the State: not on the thread that completes commits.
  private func enqueueSnapshot() {
    guard environment.log.readsFromDisk else { return SnapshotTurn(session: self).enqueue() }
    environment.background.enqueue(for: WorkOwner(key)) { SnapshotTurn(session: self).enqueue() }
  }

  /// Notifies the observers, after the responses.
  private func notify(_ publication: CommitMachine<ActionReply>.Publication) {
    publication.notifyObservers()
    // Announce the next batch last, so that the observers are notified of the batches in order.
    switch commits.withLock({ $0.published() }) {
    case .rest: break
    case .announce: announceBatch()
    case .close(let closing): finish(closing)
    }
  }

  private func didReject(_ error: LogError) {
    // After the end of the session, the log rejects the batch in flight, which is not an error.
    if let closing = commits.withLock({ $0.rejectedBatch(error) }) { return finish(closing) }
    guard !hasEnded else { return }
    environment.counts.logFailures.add(error)
    environment.logger.error(
      "log rejected mutations",
      ["reactor": key.reactor, "session": key.id, "error": "\(error)"])
    close(.interrupted, fault: error)
  }
}
