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
      request?.caused(book.reduced)
      book.pending.append(
        Change(
          entry: LogEntry(
            version: book.reduced, at: now, action: action, global: global, mutation: mutation),
          state: CommittedState(
            cursor: Cursor(epoch: epoch, version: book.reduced), json: state)))
    }
  }

  func didFail(_ error: any Error, in stage: ReactorStage) {
    let counts = environment.counts
    (stage == .mutate ? counts.effectFailures : counts.streamFailures).add()
    environment.logger.error(
      stage == .mutate ? "effect failed" : "stream of the reactor failed",
      ["reactor": key.reactor, "session": key.id, "stage": stage.rawValue, "error": "\(error)"])
  }

  /// Gives what is pending to the log, unless a batch is on its way: then it goes with the next.
  func appendPending() {
    let batch = book.withLock { book -> [Change] in
      guard !book.isAppending, !book.pending.isEmpty else { return [] }
      book.isAppending = true
      defer { book.pending = [] }
      return book.pending
    }
    guard let first = batch.first else { return }
    let start = ContinuousClock.now
    log.append(batch.map { $0.entry }, to: epoch, expecting: first.entry.version - 1) {
      [self] result in
      switch result {
      case .success: committed(batch, in: ContinuousClock.now - start)
      case .failure(let error): refused(error)
      }
    }
  }

  private func committed(_ batch: [Change], in time: Duration) {
    guard let last = batch.last else { return }
    let counts = environment.counts
    counts.mutations.add(batch.count)
    counts.commitSizes.record(batch.count)
    counts.commitTimes.record(time)
    let (observers, answered, snapshot, snapshotIsDue) = book.withLock { book in
      book.committed = last.entry.version
      book.latest = last.state
      book.isStored = true
      book.lastActiveAt = last.entry.at
      let isDue =
        book.committed - book.lastSnapshot >= environment.settings.snapshotInterval
      return (book.observers, book.takeAnswered(), book.takeSnapshot(), isDue)
    }
    for change in batch {
      for observer in observers { observer.sessionDidCommit(change.state) }
    }
    for request in answered { request.answer(last.state) }
    if let snapshot { log.save(snapshot, of: epoch) }
    if snapshotIsDue { takeSnapshot() }
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

extension LiveSession.Book {
  /// Takes out the snapshot if all that it holds is committed.
  fileprivate mutating func takeSnapshot() -> Snapshot? {
    guard let taken = snapshot, taken.version <= committed else { return nil }
    snapshot = nil
    return taken
  }

  /// Takes out the requests whose mutations are all committed.
  fileprivate mutating func takeAnswered() -> [ActionRequest] {
    // Mostly there is one, and it waited for this very commit.
    guard settled.contains(where: { $0.lastVersion > committed }) else {
      defer { settled = [] }
      return settled
    }
    let answered = settled.filter { $0.lastVersion <= committed }
    settled.removeAll { $0.lastVersion <= committed }
    return answered
  }
}
