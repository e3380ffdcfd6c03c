internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// Lists and cancels the running effects of a session.
extension LiveSession {
  /// Lists the actions that this release cannot decode, and then the running effects.
  @usableFromInline
  func effects(after id: String?, limit: Int) async throws(SessionError) -> [RunningEffect] {
    let effects: [RunningEffect]? = await withCheckedContinuation { continuation in
      let isEnqueued = enqueueRequest { [self] in
        continuation.resume(returning: effectsInTurn(after: id, limit: limit))
      }
      if !isEnqueued { continuation.resume(returning: nil) }
    }
    guard let effects else { throw .overloaded }
    return effects
  }

  private func effectsInTurn(after id: String?, limit: Int) -> [RunningEffect] {
    let blocked = blockedRequests(after: id).prefix(limit)
    let running = pipeline.effects(
      after: id.flatMap { EffectID($0) }, limit: limit - blocked.count)
    return blocked.map { request in
      RunningEffect(
        id: request.effectID, action: request.unfinished.first?.action,
        startedAt: request.actions[0].at, progress: nil, isUnreadable: true)
    }
      + running.map { status in
        RunningEffect(
          id: status.id.description, action: (status.effect as? ActionEffect)?.json,
          startedAt: Timestamp(milliseconds: status.startedAt), progress: status.progress)
      }
  }

  /// The blocked requests after an id, in order.
  private func blockedRequests(after id: String?) -> ArraySlice<InterruptedRequest> {
    let blocked = commits.withLock { $0.blocked }
    guard let id else { return blocked[...] }
    let last = blocked.firstIndex { $0.effectID == id }
    return last.map { blocked[($0 + 1)...] } ?? []
  }

  @usableFromInline
  func cancelEffect(_ id: String) async throws(SessionError) {
    // The batch of this turn removes the action from the journal.
    let removed = try await commit { [self] in
      if let id = EffectID(id) { pipeline.cancelEffect(id) }
      return commits.withLock { $0.removeBlocked(id, at: .now) }
    }
    guard let removed else { return }
    commits.withLock { $0.release(removed.key) }
    environment.blocked.remove(.init(kind: .action, id: id), of: key.id)
  }
}
