public import ReactorCore
internal import Synchronization
internal import ReactorLog
internal import Telemetry

/// Requests: from a body to the decision when to respond.
extension LiveSession {
  @usableFromInline
  func submit(
    _ body: [UInt8], ifAt expected: [Cursor]?, key: String?, for context: RequestContext?,
    accepted: (@Sendable (CommittedState) -> Void)?,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError) {
    let key = key.map { IdempotencyKey($0, for: body) }
    guard let router = environment.router else {
      return try submit(
        body, ifAt: expected, identifiedBy: key, for: context, accepted: accepted,
        completion: completion)
    }
    let submission = Submission(body: body, expected: expected, key: key, context: context)
    try submit(
      submission, accepted: accepted, enqueued: nil,
      completion: rerouting(submission, accepted: accepted, through: router, completion))
  }

  /// Executes actions, see ``Session/submit(_:ifAt:key:for:accepted:completion:)``.
  ///
  /// `enqueued` is called when the request is in the mailbox, or is not executed: after this call has
  /// returned if the log reads the outcome of the key later; not if this call throws.
  func submit(
    _ body: [UInt8], ifAt expected: [Cursor]?, identifiedBy key: IdempotencyKey?,
    isRepeated: Bool = false, for context: RequestContext?,
    accepted: (@Sendable (CommittedState) -> Void)?, enqueued: (@Sendable () -> Void)? = nil,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError) {
    guard let actions = try decode(body) else {
      completion(.failed(index: nil, ActionCrashedError(), at: current.cursor))
      enqueued?()
      return
    }
    guard let key else {
      submit(actions, identifiedBy: nil, ifAt: expected, for: context, accepted, completion)
      enqueued?()
      return
    }
    IdempotencyLookup(session: self).find(orClaim: key) { [self] outcome in
      if let outcome {
        completion(outcome)
      } else if isRepeated, environment.witness.interruptionPolicy == .giveUp {
        commits.withLock { $0.release(key) }
        completion(.notCommitted(.unknown))
      } else {
        submit(actions, identifiedBy: key, ifAt: expected, for: context, accepted, completion)
      }
      enqueued?()
    }
  }

  /// Decodes a request; `nil` if it is quarantined.
  func decode(_ body: [UInt8]) throws(ActionDecodingError) -> DecodedActions? {
    // A variable with `hotPath` would be a copy, which retains each of its functions.
    let witness = environment.witness
    let marking = environment.settings.marking
    if let marking, marking.isQuarantined(key, body) { return nil }
    if let plain = witness.hotPath.findPlain(body) { return plain }
    let limit = environment.settings.actionLimit
    guard marking != nil else { return try witness.hotPath.decode(body, limit) }
    return try marked(ActionDigest(of: body), body) { () throws(ActionDecodingError) in
      try witness.hotPath.decode(body, limit)
    }
  }

  /// Executes decoded actions whose key, if any, is claimed.
  func submit(
    _ actions: DecodedActions, identifiedBy key: IdempotencyKey?, ifAt expected: [Cursor]?,
    for context: RequestContext?, _ accepted: (@Sendable (CommittedState) -> Void)?,
    _ completion: @escaping @Sendable (ActionOutcome) -> Void
  ) {
    let reply = ActionReply(
      count: actions.count, isArray: actions.isArray, key: key, principal: context?.principal,
      in: self, accepted: accepted, completion: completion)
    let sends = hasSends.load(ordering: .acquiring) ? outbox.withLock { $0 } : nil
    sends?.enter()
    defer { sends?.leave() }
    // Usually the session is idle, and nothing has to outlive this call.
    let wasIdle = environment.witness.hotPath.executeIfIdle(pipeline) {
      start(actions, for: reply, ifAt: expected, context)
      didEndTurn()
    }
    guard !wasIdle else { return }
    let counts = environment.counts
    counts.waiting.add(1, ordering: .relaxed)
    let isEnqueued = enqueue(bound: environment.settings.mailboxBound) { [self] in
      counts.waiting.subtract(1, ordering: .relaxed)
      start(actions, for: reply, ifAt: expected, context)
    }
    guard !isEnqueued else { return }
    counts.waiting.subtract(1, ordering: .relaxed)
    commits.withLock { $0.release(key) }
    reply.respond(with: .overloaded)
  }

  /// Starts a request's actions, in the serial context.
  func start(
    _ actions: DecodedActions, for reply: ActionReply, ifAt expected: [Cursor]?,
    _ context: RequestContext?
  ) {
    guard !hasEnded else { return respondEnded(reply) }
    if let expected {
      let reduced = commits.withLock { $0.reducedVersion }
      guard expected.contains(Cursor(epoch: epoch, version: reduced)) else {
        reply.reject()
        return execute(commits.withLock { $0.rejected(reply, key: reply.key) }, for: reply)
      }
    }
    environment.counts.actions.add(actions.count)
    ActionExecution(session: self, actions: actions, reply: reply, context: context).execute()
  }

  /// All actions of a request have ended: responds now, or with the commit that it waits for.
  func didFinish(_ reply: ActionReply) {
    let journalled = reply.journalled
    let (failure, time) = reply.key == nil ? (nil, nil) : (reply.failure, Timestamp.now)
    let decision = commits.withLock {
      $0.finished(
        reply, key: reply.key, version: reply.lastVersion, journalled: journalled,
        failure: failure, at: time)
    }
    execute(decision, for: reply)
  }

  private func execute(
    _ decision: CommitMachine<ActionReply>.ReplyDecision, for reply: ActionReply
  ) {
    switch decision {
    case .respond(let state): reply.respond(with: state)
    case .wait: break
    case .ended: respondEnded(reply)
    }
  }

  /// An action in the journal has ended, and others of its request continue.
  func didEnd(_ id: AcceptedAction.ID, of reply: ActionReply, _ error: (any Error)?) {
    let failed = reply.endJournalled(id, error)
    commits.withLock { $0.ended(id, failed: failed) }
  }

  // MARK: Running effects

  @usableFromInline
  func effects(
    after id: String?, limit: Int, completion: @escaping @Sendable ([RunningEffect]?) -> Void
  ) {
    let isEnqueued = enqueue(bound: environment.settings.mailboxBound) { [self] in
      let running = pipeline.effects(after: id.flatMap { EffectID($0) }, limit: limit)
      completion(
        running.map { status in
          RunningEffect(
            id: status.id.description, action: (status.effect as? ActionEffect)?.json,
            startedAt: Timestamp(milliseconds: status.startedAt), progress: status.progress)
        })
    }
    if !isEnqueued { completion(nil) }
  }

  @usableFromInline
  func cancelEffect(
    _ id: String, completion: @escaping @Sendable (EffectCancellation) -> Void
  ) {
    let isEnqueued = enqueue(bound: environment.settings.mailboxBound) { [self] in
      if let id = EffectID(id) { pipeline.cancelEffect(id) }
      // The batch of this turn removes the action from the journal.
      let waits = commits.withLock { machine in
        machine.whenAllIsCommitted { [self] _ in completion(cancellation) }
      }
      if !waits { completion(cancellation) }
    }
    if !isEnqueued { completion(.overloaded) }
  }

  private var cancellation: EffectCancellation {
    fault.map { .notCommitted($0) } ?? .ended
  }
}
