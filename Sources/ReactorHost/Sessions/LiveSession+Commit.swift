internal import ReactorCore
internal import Synchronization

/// What the engine tells, and what becomes of it. All of it comes from the serial context, but for
/// the completions of the log.
extension LiveSession {
  func didConnect(_ shown: Result<[UInt8], any Error>) {
    switch shown {
    case .success(let json):
      book.withLock { book in
        book.latest = CommittedState(
          cursor: Cursor(epoch: epoch, version: book.committed), json: json)
      }
    case .failure(let error): didFailToEncode(error)
    }
  }

  func didReduce(_ mutation: [UInt8], to state: [UInt8], because origin: MutationOrigin) {
    var global: LogEntry.GlobalMark?
    if case .global(let name, let revision) = origin {
      global = LogEntry.GlobalMark(name: name, revision: revision)
    }
    didReduce(mutation, to: state, because: nil, global)
  }

  func didReduce(
    _ mutation: [UInt8], to state: [UInt8], because ticket: ActionTicket?,
    _ global: LogEntry.GlobalMark? = nil
  ) {
    let now = Timestamp.now
    book.withLock { book in
      guard book.end == nil else { return }
      book.reduced += 1
      book.isInTurn = true
      ticket?.request.caused(book.reduced)
      book.pendingEntries.append(
        LogEntry(
          version: book.reduced, at: now, action: ticket?.json, global: global,
          mutation: mutation))
      book.pendingStates.append(state)
    }
  }

  func didFail(_ error: any Error, in stage: ReactorStage) {
    let counts = environment.counts
    (stage == .mutate ? counts.effectFailures : counts.streamFailures).add()
    // A stream of the reactor is nobody's in particular.
    let request = stage == .mutate ? RequestContext.current?.logFields ?? [] : []
    environment.logger.log(
      .error, stage == .mutate ? "effect failed" : "stream of the reactor failed",
      fields: [
        ("reactor", key.reactor), ("session", key.id), ("stage", stage.rawValue),
        ("error", "\(error)"),
      ] + request)
  }

  /// Gives what is pending to the log, unless a batch is on its way: then it goes with the next.
  ///
  /// - Parameters:
  ///   - turnEnds: Whether a turn of the session is over; elsewhere one may be running, and what it
  ///     has done so far goes at its end.
  ///   - batchEnds: Whether the batch that was on its way is committed, and all were told.
  func appendPending(turnEnds: Bool = false, batchEnds: Bool = false) {
    let isDue = book.withLock { book in
      if turnEnds { book.isInTurn = false }
      if batchEnds { book.isAppending = false }
      guard book.hasBatch, !book.isAppending else { return false }
      book.isAppending = true
      return true
    }
    if isDue { log.announce(self) }
  }

  /// The log takes what is pending by now.
  ///
  /// In the midst of a turn it gets nothing: what is pending is announced anew at the turn's end.
  func appendBatch() {
    // Not as a result of the closure: it would be destroyed without knowing its parts.
    var (version, batch) = (0, LogBatch())
    let hasBatch = book.withLock { book in
      guard book.hasBatch else {
        book.isAppending = false
        return false
      }
      version = book.committed
      batch = book.takeBatch()
      return true
    }
    guard hasBatch else { return }
    log.append(batch, to: epoch, expecting: version) { [self] result in
      switch result {
      case .success: committed()
      case .failure(let error): refused(error)
      }
    }
  }

  /// The batch that was on its way is in the log.
  private func committed() {
    var states = Few<[UInt8]>()
    var answered = Few<SettledRequest>()
    let done = book.withLock { book in
      states = book.statesOnTheirWay.takeAll()
      let former = book.committed
      book.committedBatches += 1
      book.isStored = true
      if let last = states.last {
        book.committed += states.count
        book.latest = state(last, at: book.committed)
      }
      if let lastChange = book.lastChange { book.lastActiveAt = lastChange }
      answered = book.takeAnswered()
      let isDue =
        book.committed - book.lastSnapshot >= environment.settings.snapshotInterval
      return CommittedBatch(
        formerVersion: former, latest: book.latest, time: book.appending.microseconds,
        observers: book.observers, awaited: book.takeAwaited(), snapshot: book.takeSnapshot(),
        snapshotIsDue: isDue)
    }
    let counts = environment.counts
    counts.mutations.add(states.count)
    counts.commitSizes.record(states.count)
    counts.commitTimes.record(done.time)
    if !done.observers.isEmpty {
      var version = done.formerVersion
      states.forEach { json in
        version += 1
        let state = state(json, at: version)
        for observer in done.observers { observer.sessionDidCommit(state) }
      }
    }
    for proceed in done.awaited { proceed(true) }
    if !answered.isEmpty {
      let state = done.latest ?? current
      answered.forEach { $0.request.answer(state) }
    }
    if let snapshot = done.snapshot { log.save(snapshot, of: epoch) }
    if done.snapshotIsDue { takeSnapshot() }
    // Only now, so that nobody is told of the next batch before this one.
    appendPending(batchEnds: true)
  }

  private func state(_ json: [UInt8], at version: Int) -> CommittedState {
    CommittedState(cursor: Cursor(epoch: epoch, version: version), json: json)
  }

  private func refused(_ error: LogError) {
    environment.counts.logFailures.add(error)
    environment.logger.error(
      "log refused mutations",
      ["reactor": key.reactor, "session": key.id, "error": "\(error)"])
    close(.interrupted, fault: error)
  }

  /// A state or a mutation that cannot be told must not be committed either.
  func didFailToEncode(_ error: any Error) {
    environment.logger.error(
      "state or mutation cannot be written as JSON",
      ["reactor": key.reactor, "session": key.id, "error": "\(error)"])
    close(
      .interrupted,
      fault: .corrupt("The new state cannot be written as JSON, so the change was not made."))
  }
}

/// What has to be done about a batch that is in the log.
private struct CommittedBatch {
  /// The version before it.
  let formerVersion: Int
  let latest: CommittedState?
  /// How long it was on its way, in microseconds.
  let time: Int
  let observers: [any SessionObserver]
  let awaited: [LiveSession.Book.Continuation]
  let snapshot: Snapshot?
  let snapshotIsDue: Bool
}

extension LiveSession.Book {
  /// Whether something is pending that may go to the log: what belongs together does at the end of a
  /// turn.
  fileprivate var hasBatch: Bool {
    !isInTurn && !isEnding && !(pendingEntries.isEmpty && notes.isEmpty)
  }

  /// Takes out what goes to the log next.
  fileprivate mutating func takeBatch() -> LogBatch {
    batches += 1
    var entries: [LogEntry] = []
    swap(&entries, &pendingEntries)
    statesOnTheirWay = pendingStates.takeAll()
    lastChange = entries.last?.at
    appending = Stopwatch()
    let batch = notes.batch(entries, version: entries.last?.version ?? committed)
    if !notes.isEmpty { notes = BatchNotes() }
    return batch
  }

  /// Takes out the snapshot if all that it holds is committed.
  fileprivate mutating func takeSnapshot() -> Snapshot? {
    guard let taken = snapshot, taken.version <= committed else { return nil }
    snapshot = nil
    return taken
  }

  /// Takes out the requests whose mutations are all committed.
  fileprivate mutating func takeAnswered() -> Few<SettledRequest> {
    let (version, batch) = (committed, committedBatches)
    let answered = settled.takeAll { !$0.waits(forVersionAfter: version, batchAfter: batch) }
    answered.forEach { settled in
      guard let key = settled.request.key else { return }
      keys[key.name] = nil
      settledKeys += 1
    }
    return answered
  }
}
