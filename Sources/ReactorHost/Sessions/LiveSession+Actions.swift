internal import ReactorCore
internal import Synchronization

extension LiveSession {
  func submit(
    _ body: [UInt8], ifAt expected: [Cursor]?, key: String?, for context: RequestContext?,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError) {
    let actions = try engine.prepare(body)
    let key = key.map { IdempotencyKey($0, for: body) }
    if let key, let outcome = outcome(insteadOfRunning: key) { return completion(outcome) }
    let request = ActionRequest(
      count: actions.count, isArray: actions.isArray, key: key, in: self, accepted: accepted,
      completion: completion)
    @Sendable func enter() {
      RequestContext.$current.withValue(context) { self.enter(request, actions, ifAt: expected) }
    }
    // Mostly nothing runs, so that nothing need be kept for later.
    guard !engine.performIfFree(enter) else { return }
    guard !engine.perform(bound: environment.settings.mailboxBound, enter) else { return }
    if let key { book.withLock { $0.keys[key.name] = nil } }
    request.answer(instead: .overloaded)
  }

  /// Starts a request's actions.
  ///
  /// Runs within the serial context.
  private func enter(
    _ request: ActionRequest, _ actions: PreparedActions, ifAt expected: [Cursor]?
  ) {
    let (reduced, isOpen) = book.withLock { ($0.reduced, $0.end == nil) }
    guard isOpen else { return answerEnded(request) }
    let cursor = Cursor(epoch: epoch, version: reduced)
    if let expected, !expected.contains(cursor) {
      // What it is told is the state that it missed, once that is committed.
      return request.refuse(at: reduced)
    }
    environment.counts.actions.add(actions.count)
    actions.run(request)
    accept(request.takeRunning(), of: request)
    request.entered()
  }

  /// Nothing of a request runs any more: answers it, now or with the commit that it waits for.
  func settle(_ request: ActionRequest) {
    let next = book.withLock { book -> Settlement in
      guard book.end == nil else { return .ended }
      if request.isRefused {
        if let key = request.key { book.keys[key.name] = nil }
      } else {
        book.conclude(request)
      }
      guard request.waits(forVersionAfter: book.committed, batchAfter: book.committedBatches)
      else { return .answer(book.latest) }
      book.settled.append(request)
      return .wait
    }
    switch next {
    case .answer(let state): request.answer(state ?? current)
    case .wait: break
    case .ended: answerEnded(request)
    }
  }
}

/// What a request gets whose actions have ended.
private enum Settlement {
  case answer(CommittedState?)
  case wait
  case ended
}
