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

  func didReduce(
    _ mutation: [UInt8], to state: [UInt8], because origin: MutationOrigin
  ) {
    var action: [UInt8]?
    var global: LogEntry.GlobalMark?
    var request: ActionRequest?
    switch origin {
    case .effect(let effect):
      let ticket = effect as? ActionTicket
      action = ticket?.json
      request = ticket?.request
    case .global(let name, let revision):
      global = LogEntry.GlobalMark(name: name, revision: revision)
    case .external: break
    }
    let now = Timestamp.now
    book.withLock { book in
      guard book.end == nil else { return }
      book.reduced += 1
      book.isInTurn = true
      request?.caused(book.reduced)
      book.pendingEntries.append(
        LogEntry(
          version: book.reduced, at: now, action: action, global: global, mutation: mutation))
      book.pendingStates.append(
        CommittedState(cursor: Cursor(epoch: epoch, version: book.reduced), json: state))
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
  /// - Parameter turnEnds: Whether a turn of the session is over; elsewhere one may be running, and
  ///   what it has done so far goes at its end.
  func appendPending(turnEnds: Bool = false) {
    let isDue = book.withLock { book in
      if turnEnds { book.isInTurn = false }
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
    let next = book.withLock { book in
      guard book.hasBatch else {
        book.isAppending = false
        return nil as NextBatch?
      }
      return book.takeBatch()
    }
    guard let next else { return }
    let start = ContinuousClock.now
    let (states, lastChange) = (next.states, next.lastChange)
    log.append(next.batch, to: epoch, expecting: next.version) { [self] result in
      switch result {
      case .success: committed(states, at: lastChange, in: ContinuousClock.now - start)
      case .failure(let error): refused(error)
      }
    }
  }

  private func committed(_ states: [CommittedState], at lastChange: Timestamp?, in time: Duration) {
    let counts = environment.counts
    counts.mutations.add(states.count)
    counts.commitSizes.record(states.count)
    counts.commitTimes.record(time)
    let done = book.withLock { book in
      book.committedBatches += 1
      book.isStored = true
      if let last = states.last {
        book.committed = last.cursor.version
        book.latest = last
      }
      if let lastChange { book.lastActiveAt = lastChange }
      let isDue =
        book.committed - book.lastSnapshot >= environment.settings.snapshotInterval
      return CommittedBatch(
        observers: book.observers, answered: book.takeAnswered(), awaited: book.takeAwaited(),
        snapshot: book.takeSnapshot(), snapshotIsDue: isDue)
    }
    if !done.observers.isEmpty {
      for state in states {
        for observer in done.observers { observer.sessionDidCommit(state) }
      }
    }
    for proceed in done.awaited { proceed(true) }
    let state = states.last ?? current
    for request in done.answered { request.answer(state) }
    if let snapshot = done.snapshot { log.save(snapshot, of: epoch) }
    if done.snapshotIsDue { takeSnapshot() }
    // Only now, so that nobody is told of the next batch before this one.
    book.withLock { $0.isAppending = false }
    appendPending()
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

/// What goes to the log next.
private struct NextBatch {
  let batch: LogBatch
  /// The version that the log is at.
  let version: Int
  /// What its mutations made of the State.
  let states: [CommittedState]
  /// When the last of them was folded in; `nil` without any.
  let lastChange: Timestamp?
}

/// What has to be done about a batch that is in the log.
private struct CommittedBatch {
  let observers: [any SessionObserver]
  let answered: [ActionRequest]
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
  fileprivate mutating func takeBatch() -> NextBatch {
    batches += 1
    var (entries, states): ([LogEntry], [CommittedState]) = ([], [])
    swap(&entries, &pendingEntries)
    swap(&states, &pendingStates)
    let (lastVersion, lastChange) = (entries.last?.version, entries.last?.at)
    let batch = notes.batch(entries, version: lastVersion ?? committed)
    if !notes.isEmpty { notes = BatchNotes() }
    return NextBatch(batch: batch, version: committed, states: states, lastChange: lastChange)
  }

  /// Takes out the snapshot if all that it holds is committed.
  fileprivate mutating func takeSnapshot() -> Snapshot? {
    guard let taken = snapshot, taken.version <= committed else { return nil }
    snapshot = nil
    return taken
  }

  /// Takes out the requests whose mutations are all committed.
  fileprivate mutating func takeAnswered() -> [ActionRequest] {
    guard !settled.isEmpty else { return [] }
    func waits(_ request: ActionRequest) -> Bool {
      request.waits(forVersionAfter: committed, batchAfter: committedBatches)
    }
    // Mostly there is one, and it waited for this very commit.
    let answered: [ActionRequest]
    if settled.contains(where: waits) {
      answered = settled.filter { !waits($0) }
      settled.removeAll { !waits($0) }
    } else {
      answered = settled
      settled = []
    }
    for request in answered {
      guard let key = request.key else { continue }
      keys[key.name] = nil
      settledKeys += 1
    }
    return answered
  }
}
