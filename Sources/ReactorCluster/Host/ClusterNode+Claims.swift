internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Claims of sessions, and their reminders.
extension ClusterNode {
  /// Informs the other nodes that this one owns a session, so that they drop a copy.
  func claim(_ key: SessionKey) {
    let now = now
    let isForeign = state.withLock { state in
      state.reminders.didClaim(key, at: now)
      return state.foreign.remove(key) != nil
    }
    if isForeign { counters.takeovers.add() }
    bus.broadcast(NodeMessage.claim(key, by: node).bytes)
  }

  /// Repeats claims that other nodes may not have received, and reads the ends of the claimed sessions
  /// again: the leader of a stream can lack the last messages of a session that is loaded just after its
  /// election.
  func sendReminders() {
    let now = now
    for keys in state.withLock({ $0.reminders.takeDue(at: now) }) {
      bus.broadcast(NodeMessage.claims(keys, by: node, isReply: false).bytes)
      for key in keys { reactor(key.reactor)?.closeIfContinued(key.id) }
    }
  }

  /// Confirms with the log that this node owns those of some sessions that it has in memory; a session
  /// that it has lost is closed.
  ///
  /// If this node owns a session, the sender may have an old copy, and confirms it in turn.
  ///
  /// - Parameters:
  ///   - keys: The sessions.
  ///   - claimant: The node that has claimed them.
  ///   - isReply: Whether the sender has confirmed that it owns the sessions.
  func confirm(_ keys: [SessionKey], claimedBy claimant: NodeID, isReply: Bool) {
    guard !state.withLock({ $0.isOwn(claimant) }) else { return }
    for key in keys {
      guard let session = reactor(key.reactor)?.liveSession(key.id) else { continue }
      session.confirmCurrent { [weak self] result in
        guard let self, !isReply, case .success = result else { return }
        send(.claims([key], by: node, isReply: true), to: claimant, about: key)
      }
    }
  }
}
