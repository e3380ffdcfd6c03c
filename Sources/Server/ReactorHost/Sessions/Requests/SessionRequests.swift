internal import ReactorCore
internal import ReactorLog
internal import Synchronization
internal import Telemetry

/// Decodes requests to a session, and starts their actions.
struct SessionRequests: Sendable {
  let session: LiveSession

  private var environment: ReactorEnvironment { session.environment }

  /// Executes actions, see ``Session/submit(_:ifAt:key:for:accepted:completion:)``.
  ///
  /// `enqueued` is called when the request is in the mailbox, or is not executed: after this method has returned
  /// if the key is that of an earlier request whose outcome must be awaited or folded. It is not called if this
  /// method throws.
  func submit(
    _ body: [UInt8], ifAt expected: [Cursor]?, identifiedBy key: IdempotencyKey?,
    isRepeated: Bool = false, for context: RequestContext?,
    accepted: (@Sendable (CommittedState) -> Void)?, enqueued: (@Sendable () -> Void)? = nil,
    completion: @escaping @Sendable (ActionOutcome) -> Void
  ) throws(ActionDecodingError) {
    let decoded: DecodedActions?
    if (context?.origin ?? .client) == .client {
      decoded = try decodeForClient(body)
    } else {
      decoded = try decode(body)
    }
    guard let actions = decoded else {
      completion(.failed(index: nil, ActionCrashedError(), at: session.current.cursor))
      enqueued?()
      return
    }
    let key = actions.privateParts.flatMap { key?.comparing($0.remainder) } ?? key
    guard let key else {
      submit(actions, identifiedBy: nil, ifAt: expected, for: context, accepted, completion)
      enqueued?()
      return
    }
    // A repetition is not executed: it is not in the mailbox while it waits for the first request.
    let enqueued = enqueued.map { OnceOnly($0) }
    let lookup = IdempotencyLookup(
      session: session, accepted: accepted, willWait: { enqueued?.call() }, waits: true)
    lookup.find(orClaim: key) { outcome in
      if let outcome {
        completion(outcome)
      } else if isRepeated, environment.witness.interruptionPolicy == .giveUp {
        let repetitions = session.commits.withLock { machine in
          machine.release(key)
          return machine.takeRepetitions(of: key)
        }
        completion(.notCommitted(.unknown))
        for repetition in repetitions { repetition.completion(nil) }
      } else {
        var context = context
        if isRepeated { context?.isRepetition = true }
        submit(actions, identifiedBy: key, ifAt: expected, for: context, accepted, completion)
      }
      enqueued?.call()
    }
  }

  /// Decodes a client's request, which must not contain an internal action.
  private func decodeForClient(_ body: [UInt8]) throws(ActionDecodingError) -> DecodedActions? {
    guard let rules = environment.witness.internalActions else { return try decode(body) }
    try rules.check(body)
    do throws(ActionDecodingError) {
      return try decode(body)
    } catch {
      throw rules.hide(error, body)
    }
  }

  /// Decodes a request, or returns `nil` if it is quarantined.
  func decode(_ body: [UInt8]) throws(ActionDecodingError) -> DecodedActions? {
    // A variable with `hotPath` would be a copy, which retains each of its functions.
    let witness = environment.witness
    let marking = environment.settings.marking
    if let marking, marking.isQuarantined(session.key, body) { return nil }
    if let plain = witness.hotPath.findPlain(body) { return plain }
    let limit = environment.settings.actionLimit
    guard let marking else { return try witness.hotPath.decode(body, limit) }
    // The mark is in a file, where also a digest could be compared with guesses of a private value.
    let text = witness.hasPrivateValues ? [] : body
    let mark = marking.begin(session.key, ActionDigest(of: text), text)
    defer { marking.end(mark) }
    return try witness.hotPath.decode(body, limit)
  }

  /// Executes decoded actions whose key, if any, is claimed.
  func submit(
    _ actions: DecodedActions, identifiedBy key: IdempotencyKey?, ifAt expected: [Cursor]?,
    for context: RequestContext?, _ accepted: (@Sendable (CommittedState) -> Void)?,
    _ completion: @escaping @Sendable (ActionOutcome) -> Void
  ) {
    let reply = ActionReply(
      count: actions.count, isArray: actions.isArray, key: key, context: context,
      in: session, accepted: accepted, completion: completion)
    let outbox = session.sends.outbox
    outbox?.enter()
    defer { outbox?.leave() }
    // The session is usually idle: the closure is then executed within this call, and does not
    // escape.
    let wasIdle = environment.witness.hotPath.executeIfIdle(session.pipeline) {
      start(actions, for: reply, ifAt: expected, context)
      session.didEndTurn()
    }
    guard !wasIdle else { return }
    let counts = environment.counts
    counts.waiting.add(1, ordering: .relaxed)
    let isEnqueued = session.enqueueRequest {
      counts.waiting.subtract(1, ordering: .relaxed)
      start(actions, for: reply, ifAt: expected, context)
    }
    guard !isEnqueued else { return }
    counts.waiting.subtract(1, ordering: .relaxed)
    session.commits.withLock { $0.release(key) }
    reply.respond(with: .overloaded)
  }

  /// Returns whether a request expects the State that the session had before it existed, and has only
  /// joined the values of globals since then.
  private func isFirst(of expected: [Cursor], at version: Int) -> Bool {
    guard version > 0, session.globals.count == version,
      let state = try? environment.witness.encodeShown(session.pipeline)
    else { return false }
    return expected.contains(FirstState.cursor(of: session.key, showing: state))
  }

  /// Starts a request's actions, in the serial context.
  func start(
    _ actions: DecodedActions, for reply: ActionReply, ifAt expected: [Cursor]?,
    _ context: RequestContext?
  ) {
    guard !session.hasEnded else { return session.respondEnded(reply) }
    if let expected {
      let reduced = session.commits.withLock { $0.reducedVersion }
      let cursor = Cursor(epoch: session.epoch, version: reduced)
      guard expected.contains(cursor) || isFirst(of: expected, at: reduced) else {
        return reply.reject()
      }
    }
    environment.counts.actions.add(actions.count)
    ActionExecution(actions: actions, reply: reply, context: context).execute()
  }
}

/// Calls a closure at its first call only.
private final class OnceOnly: Sendable {
  private let body: Mutex<(@Sendable () -> Void)?>

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = Mutex(body)
  }

  func call() { body.withLock { $0.take() }?() }
}
