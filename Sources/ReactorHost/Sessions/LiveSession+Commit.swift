internal import ReactorCore
internal import Synchronization

extension LiveSession: PipelineDelegate {
  typealias Mutation = R.Mutation
  typealias State = R.State

  func pipelineDidConnect(_ shown: R.State) {
    let version = book.withLock { $0.committed }
    do {
      let json = try blueprint.encode(shown)
      book.withLock {
        $0.latest = CommittedState(cursor: Cursor(epoch: epoch, version: version), json: json)
      }
    } catch {
      close(.interrupted, fault: unencodable(error))
    }
  }

  func pipelineDidReduce(_ transition: Transition<R.Mutation, R.State>) {
    var action: [UInt8]?
    var global: LogEntry.GlobalMark?
    var request: ActionRequest?
    switch transition.origin {
    case .effect(let effect):
      let ticket = effect as? ActionTicket
      action = ticket?.json
      request = ticket?.request
    case .global(let name, let revision):
      global = LogEntry.GlobalMark(name: name, revision: revision)
    case .external: break
    }
    do {
      let mutation = try blueprint.encode(transition.mutation)
      let now = Timestamp.now
      book.withLock { book in
        guard book.end == nil else { return }
        book.reduced += 1
        request?.caused(book.reduced)
        let entry = LogEntry(
          version: book.reduced, at: now, action: action, global: global, mutation: mutation)
        book.pending.append(
          Change(entry: entry, folded: transition.folded, shown: transition.shown))
      }
    } catch {
      close(.interrupted, fault: unencodable(error))
    }
  }

  func pipelineDidFail(_ error: any Error, in stage: ReactorStage) {
    environment.logger.error(
      stage == .mutate ? "effect failed" : "stream of the reactor failed",
      ["reactor": key.reactor, "session": key.id, "stage": stage.rawValue, "error": "\(error)"])
  }

  func pipelineDidSettle() {
    appendPending()
  }

  /// Gives what is pending to the log, unless a batch is on its way: then it goes with the next.
  private func appendPending() {
    let batch = book.withLock { book -> [Change] in
      guard !book.isAppending, !book.pending.isEmpty else { return [] }
      book.isAppending = true
      defer { book.pending = [] }
      return book.pending
    }
    guard let first = batch.first, let last = batch.last else { return }
    do {
      // Encoded before it is committed, since a state that cannot be told must not be.
      let state = CommittedState(
        cursor: Cursor(epoch: epoch, version: last.entry.version),
        json: try blueprint.encode(last.shown))
      log.append(batch.map { $0.entry }, to: epoch, expecting: first.entry.version - 1) {
        [self] result in
        switch result {
        case .success: committed(batch, state)
        case .failure(let error): refused(error)
        }
      }
    } catch {
      close(.interrupted, fault: unencodable(error))
    }
  }

  private func committed(_ batch: [Change], _ state: CommittedState) {
    let (observers, answered, snapshotIsDue) = book.withLock { book in
      book.committed = state.version
      book.latest = state
      book.isAppending = false
      book.lastActiveAt = batch[batch.count - 1].entry.at
      var answered: [ActionRequest] = []
      book.settled.removeAll { request in
        guard request.lastVersion <= state.version else { return false }
        answered.append(request)
        return true
      }
      let due = state.version - book.lastSnapshot >= environment.settings.snapshotInterval
      return (book.observers, answered, due)
    }
    if !observers.isEmpty {
      for change in batch.dropLast() {
        guard let json = try? blueprint.encode(change.shown) else { continue }
        let cursor = Cursor(epoch: epoch, version: change.entry.version)
        for observer in observers {
          observer.sessionDidCommit(CommittedState(cursor: cursor, json: json))
        }
      }
      for observer in observers { observer.sessionDidCommit(state) }
    }
    for request in answered { request.answer(state) }
    if snapshotIsDue, let last = batch.last { saveSnapshot(last.folded, at: last.entry.version) }
    appendPending()
  }

  private func refused(_ error: LogError) {
    environment.logger.error(
      "log refused mutations",
      ["reactor": key.reactor, "session": key.id, "error": "\(error)"])
    close(.interrupted, fault: error)
  }

  private func unencodable(_ error: any Error) -> LogError {
    environment.logger.error(
      "state or mutation cannot be written as JSON",
      ["reactor": key.reactor, "session": key.id, "error": "\(error)"])
    return .corrupt("The new state cannot be written as JSON, so the change was not made.")
  }
}
