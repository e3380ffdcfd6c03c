internal import ReactorCore
internal import Synchronization

/// The effects that run, one by one.
extension LiveSession {
  func effects(
    after id: String?, limit: Int, completion: @escaping @Sendable ([RunningEffect]?) -> Void
  ) {
    let entered = engine.perform(bound: environment.settings.mailboxBound) { [self] in
      completion(engine.effects(after: id.flatMap { EffectID($0) }, limit: limit))
    }
    if !entered { completion(nil) }
  }

  func cancelEffect(
    _ id: String, completion: @escaping @Sendable (EffectCancellation) -> Void
  ) {
    let entered = engine.perform(bound: environment.settings.mailboxBound) { [self] in
      if let id = EffectID(id) { engine.cancelEffect(id) }
      // The journal forgets the action with the batch that this turn ends with.
      let waits = book.withLock { book in
        book.whenAllIsCommitted { [self] _ in completion(cancellation) }
      }
      if !waits { completion(cancellation) }
    }
    if !entered { completion(.overloaded) }
  }

  private var cancellation: EffectCancellation {
    fault.map { .notCommitted($0) } ?? .ended
  }
}
