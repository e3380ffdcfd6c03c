internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// Stores the failures of a session that no request waits for, and runs their actions again.
struct SessionFailures: Sendable {
  let session: LiveSession

  private var environment: ReactorEnvironment { session.environment }

  /// Adds the failure of an effect, in the serial context.
  func add(_ error: any Error, of effect: ActionEffect) {
    let reply = effect.reply
    let isStored = !reply.isAwaited(effect.index) && !(error is CancellationError)
    guard isStored else {
      return environment.failedEffects.add(
        error, of: effect.json, in: session.key.id, by: reply.principal?.id)
    }
    store(error, of: effect.json, for: reply.context)
  }

  /// Stores a failure with the batch of the turn.
  func store(_ error: any Error, of action: [UInt8], for context: RequestContext?) {
    let failure = StoredFailure(
      id: Epoch.random(characters: 16), session: session.key.id, at: .now, action: action,
      principal: context?.principal.flatMap { try? JSONCoder.encode($0) },
      context: context.flatMap { try? JSONCoder.encode(StoredContext($0)) },
      failure: ActionFailure(index: nil, error))
    session.commits.withLock { machine in
      if !machine.hasEnded { machine.change(then: { _ in }) { $0.add(failure) } }
    }
  }

  /// Removes a failure with the batch of the turn.
  ///
  /// - Returns: `false` if it was removed before, so that its action runs again once.
  fileprivate func settle(_ id: String) -> Bool {
    let settled = environment.failedEffects
    guard !session.hasEnded, settled.settle(id) else { return false }
    session.commits.withLock { machine in
      machine.change(then: { if !$0 { settled.unsettle(id) } }) { $0.settled.append(id) }
    }
    return true
  }
}

extension LiveSession {
  @usableFromInline
  func runAgain(
    _ failure: StoredFailure, accepted: @escaping @Sendable (CommittedState) -> Void
  ) async -> ActionOutcome? {
    let record = AcceptedAction(
      id: .init(request: 0, place: 0), action: failure.action, isInArray: false, key: nil,
      principal: failure.principal, context: failure.context, at: .now)
    guard let actions = try? environment.witness.decodeJournal([record]) else {
      let detail =
        environment.witness.hasPrivateValues
        ? "The action has a private value, which was not stored, or the reactor does not know it any more. "
          + "Send the action again."
        : "The reactor does not know the action any more."
      return .invalid(.invalid(pointer: "", expected: [], detail: detail))
    }
    let context = InterruptedRequest(actions: [record]).context(in: environment.settings.ledger)
    return await withCheckedContinuation { continuation in
      let isEnqueued = enqueueRequest { [self] in
        guard !hasEnded else { return continuation.resume(returning: .ended) }
        guard SessionFailures(session: self).settle(failure.id) else {
          return continuation.resume(returning: nil)
        }
        environment.counts.actions.add()
        let reply = ActionReply(
          count: 1, isArray: false, context: context, in: self, accepted: accepted,
          completion: { continuation.resume(returning: $0) })
        ActionExecution(actions: actions, reply: reply, context: context).execute()
      }
      if !isEnqueued { continuation.resume(returning: .overloaded) }
    }
  }

  @usableFromInline
  func dismiss(_ failure: StoredFailure) async throws(SessionError) {
    _ = try await commit { [self] in SessionFailures(session: self).settle(failure.id) }
  }
}
