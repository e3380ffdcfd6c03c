internal import ReactorCore
internal import ReactorLog

/// Lists and cancels the running effects of a session.
struct SessionEffects: Sendable {
  let session: LiveSession

  /// Lists running effects, see ``Session/effects(after:limit:completion:)``.
  func list(
    after id: String?, limit: Int, completion: @escaping @Sendable ([RunningEffect]?) -> Void
  ) {
    let isEnqueued = session.enqueueRequest {
      let running = session.pipeline.effects(after: id.flatMap { EffectID($0) }, limit: limit)
      completion(
        running.map { status in
          RunningEffect(
            id: status.id.description, action: (status.effect as? ActionEffect)?.json,
            startedAt: Timestamp(milliseconds: status.startedAt), progress: status.progress)
        })
    }
    if !isEnqueued { completion(nil) }
  }

  /// Cancels an effect, see ``Session/cancelEffect(_:completion:)``.
  func cancel(_ id: String, completion: @escaping @Sendable (EffectCancellation) -> Void) {
    let isEnqueued = session.enqueueRequest {
      if let id = EffectID(id) { session.pipeline.cancelEffect(id) }
      // The batch of this turn removes the action from the journal.
      session.whenCommitted { _ in completion(EffectCancellation(in: session)) }
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
