internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// Lists and cancels the running effects of a session.
struct SessionEffects: Sendable {
  let session: LiveSession

  private var environment: ReactorEnvironment { session.environment }

  /// Lists the actions that this release cannot decode, and running effects, see ``Session/effects(after:limit:completion:)``.
  func list(
    after id: String?, limit: Int, completion: @escaping @Sendable ([RunningEffect]?) -> Void
  ) {
    let isEnqueued = session.enqueueRequest {
      let blocked = blocked(after: id).prefix(limit)
      let running = session.pipeline.effects(
        after: id.flatMap { EffectID($0) }, limit: limit - blocked.count)
      completion(
        blocked.map { request in
          RunningEffect(
            id: request.effectID, action: request.unfinished.first?.action,
            startedAt: request.actions[0].at, progress: nil, isUnreadable: true)
        }
          + running.map { status in
            RunningEffect(
              id: status.id.description, action: (status.effect as? ActionEffect)?.json,
              startedAt: Timestamp(milliseconds: status.startedAt), progress: status.progress)
          })
    }
    if !isEnqueued { completion(nil) }
  }

  /// The blocked requests after an id, in order.
  private func blocked(after id: String?) -> ArraySlice<InterruptedRequest> {
    let blocked = session.commits.withLock { $0.blocked }
    guard let id else { return blocked[...] }
    let last = blocked.firstIndex { $0.effectID == id }
    return last.map { blocked[($0 + 1)...] } ?? []
  }

  /// Cancels an effect, see ``Session/cancelEffect(_:completion:)``.
  func cancel(_ id: String, completion: @escaping @Sendable (EffectCancellation) -> Void) {
    let isEnqueued = session.enqueueRequest {
      if let id = EffectID(id) { session.pipeline.cancelEffect(id) }
      let removed = session.commits.withLock { $0.removeBlocked(id, at: .now) }
      // The batch of this turn removes the action from the journal.
      session.whenCommitted { isCommitted in
        if let removed, isCommitted {
          session.commits.withLock { $0.release(removed.key) }
          environment.blocked.remove(.init(kind: .action, id: id), of: session.key.id)
        }
        completion(EffectCancellation(in: session))
      }
    }
    if !isEnqueued { completion(.overloaded) }
  }
}

extension EffectCancellation {
  /// The outcome of a cancellation in a turn that is committed, or after the end of the session.
  init(in session: LiveSession) {
    self = session.fault.map { .notCommitted($0) } ?? .ended
  }
}
