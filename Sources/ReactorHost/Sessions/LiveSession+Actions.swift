internal import Synchronization

extension LiveSession {
  func submit(
    _ body: [UInt8], ifAt expected: [Cursor]?,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError) {
    let actions = try engine.prepare(body)
    let request = ActionRequest(
      count: actions.count, isArray: actions.isArray, settled: { [self] in settle($0) },
      completion: completion)
    let entered = engine.perform(bound: environment.settings.mailboxBound) { [self] in
      enter(request, actions, ifAt: expected, accepted: accepted)
    }
    if !entered { request.answer(instead: .overloaded) }
  }

  /// Starts a request's actions.
  ///
  /// Runs within the serial context.
  private func enter(
    _ request: ActionRequest, _ actions: PreparedActions, ifAt expected: [Cursor]?,
    accepted: (@Sendable (CommittedState) -> Void)?
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
    accepted?(current)
    request.entered()
  }

  /// Nothing of a request runs any more: answers it, now or with the commit that it waits for.
  private func settle(_ request: ActionRequest) {
    let next = book.withLock { book -> Settlement in
      guard book.end == nil else { return .ended }
      guard request.lastVersion > book.committed else { return .answer(book.latest) }
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
