internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// The outbox of a session, created with the first action that one of its effects sends.
///
/// Stored inline in the session. A session that sends nothing, as most do, needs one check per
/// turn.
struct SessionSends: ~Copyable, Sendable {
  private let created = AtomicLazyReference<SendOutbox>()
  // A separate flag: loading the reference looks up its type at run time, twice per action.
  private let exists = Atomic<Bool>(false)

  /// The outbox, or `nil` if no effect has sent an action.
  var outbox: SendOutbox? { exists.load(ordering: .acquiring) ? created.load() : nil }

  /// Adds a send to the turn, in the serial context.
  func add(_ delivery: SendDelivery) {
    let outbox = outbox ?? created.storeIfNil(SendOutbox())
    exists.store(true, ordering: .releasing)
    outbox.add(delivery)
  }
}

extension SendOutbox {
  /// Ends a turn of a session: its sends are delivered when its mutations are committed.
  func didEndTurn(of session: LiveSession) {
    guard let group = endTurn() else { return }
    session.whenCommitted { [self] isCommitted in
      if isCommitted { release(group) } else { removeAll() }
    }
  }
}

extension SendDelivery {
  /// Delivers the action, without a key, once the earlier mutations of a session are committed.
  ///
  /// Called in the serial context of the session.
  ///
  /// - Parameter session: The session; without one, the action is delivered immediately.
  func start(inTurnOf session: LiveSession?) {
    guard let session else {
      Task { start {} }
      return
    }
    guard !session.hasEnded else { return }
    session.sends.add(self)
  }
}

extension ActionEffect {
  /// Sends an action to another session once the earlier mutations of this one are committed.
  ///
  /// Any thread.
  func send(_ delivery: SendDelivery) {
    guard reply.session.pipeline.isCurrent else {
      reply.session.enqueue { [self] in addToTurn(delivery) }
      return
    }
    addToTurn(delivery)
  }

  private func addToTurn(_ delivery: SendDelivery) {
    let session = reply.session
    guard !session.hasEnded else { return }
    let (name, isOld) = reply.sendName(ofActionAt: index) { action in
      session.commits.withLock { $0.replace(action) }
    }
    delivery.identify(
      as: name + "-" + String(nextSend(to: delivery.target)), isNew: !isOld)
    session.sends.add(delivery)
  }
}
