internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// The actions that effects send to other sessions.
extension LiveSession {
  /// Sends an action of an effect when all that the session did before is committed.
  ///
  /// Any thread.
  func send(_ delivery: SendDelivery, by effect: ActionEffect) {
    guard pipeline.isCurrent else {
      enqueue { [self] in add(delivery, by: effect) }
      return
    }
    add(delivery, by: effect)
  }

  /// Adds a send to the turn.
  private func add(_ delivery: SendDelivery, by effect: ActionEffect) {
    guard !hasEnded else { return }
    let (name, isOld) = effect.reply.sendName(ofActionAt: effect.index) { action in
      commits.withLock { $0.replace(action) }
    }
    delivery.identify(
      as: name + "-" + String(effect.nextSend(to: delivery.target)), isNew: !isOld)
    let sends = outbox.withLock { outbox in
      let sends = outbox ?? SendOutbox()
      outbox = sends
      return sends
    }
    sends.add(delivery)
    hasSends.store(true, ordering: .releasing)
  }

  /// Executes a turn with sends of other sessions now if the session is idle, and delivers what it sends.
  ///
  /// - Returns: Whether the session was idle.
  func executeIfIdle(_ turn: () -> Void) -> Bool {
    let sends = hasSends.load(ordering: .acquiring) ? outbox.withLock { $0 } : nil
    sends?.enter()
    defer { sends?.leave() }
    return environment.witness.hotPath.executeIfIdle(pipeline) {
      turn()
      didEndTurn()
    }
  }

  /// The sends of the turn leave with the commit of what it did.
  func didEndTurnOfSends() {
    guard let sends = outbox.withLock({ $0 }), let group = sends.endTurn() else { return }
    let waits = commits.withLock { machine in
      machine.whenAllIsCommitted { isCommitted in
        if isCommitted { sends.release(group) } else { sends.removeAll() }
      }
    }
    guard !waits else { return }
    if hasEnded { sends.removeAll() } else { sends.release(group) }
  }
}
