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
    // Mostly nothing runs, so that nothing need be kept for later.
    let wasFree = engine.performIfFree {
      enter(request, actions, ifAt: expected, for: context)
      didSettle()
    }
    guard !wasFree else { return }
    let isTaken = engine.perform(bound: environment.settings.mailboxBound) { [self] in
      enter(request, actions, ifAt: expected, for: context)
    }
    guard !isTaken else { return }
    if let key { book.withLock { $0.keys[key.name] = nil } }
    request.answer(instead: .overloaded)
  }

  /// Starts a request's actions.
  ///
  /// Runs within the serial context.
  private func enter(
    _ request: ActionRequest, _ actions: PreparedActions, ifAt expected: [Cursor]?,
    for context: RequestContext?
  ) {
    guard !hasEnded else { return answerEnded(request) }
    if let expected {
      let reduced = book.withLock { $0.reduced }
      // What it is told is the state that it missed, once that is committed.
      guard expected.contains(Cursor(epoch: epoch, version: reduced)) else {
        return request.refuse(at: reduced)
      }
    }
    environment.counts.actions.add(actions.count)
    RequestContext.$current.withValue(context) { engine.run(actions, for: request) }
    accept(request.takeRunning(), of: request)
    request.entered()
  }

  /// Nothing of a request runs any more: answers it, now or with the commit that it waits for.
  func settle(_ request: ActionRequest) {
    let next = book.withLock { book -> Settlement in
      guard book.end == nil else { return .ended }
      var settled = SettledRequest(request: request, version: request.lastVersion)
      if request.isRefused {
        if let key = request.key { book.keys[key.name] = nil }
      } else {
        settled.batch = book.conclude(request)
      }
      guard settled.waits(forVersionAfter: book.committed, batchAfter: book.committedBatches)
      else { return .answer(book.latest) }
      book.settled.append(settled)
      return .wait
    }
    switch next {
    case .answer(let state): request.answer(state ?? current)
    case .wait: break
    case .ended: answerEnded(request)
    }
  }
}

/// A request of which nothing runs any more, and what must be committed before it is answered.
struct SettledRequest: Sendable {
  let request: ActionRequest
  /// The version of the last mutation that it caused, or that it missed.
  let version: Int
  /// The batch that says what became of it; 0 for none.
  var batch = 0

  /// Whether something that it waits for is not committed, when so much is.
  func waits(forVersionAfter version: Int, batchAfter batch: Int) -> Bool {
    self.version > version || self.batch > batch
  }
}

/// What a request gets whose actions have ended.
private enum Settlement {
  case answer(CommittedState?)
  case wait
  case ended
}
