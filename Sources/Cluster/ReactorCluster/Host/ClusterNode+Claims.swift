internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Claims of sessions, and their reminders.
extension ClusterNode {
  /// The time between two comparisons of the sessions in memory with the store.
  private static let comparisonInterval: Milliseconds = 500

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
      read { [self] in for key in keys { reactor(key.reactor)?.closeIfContinued(key.id) } }
    }
  }

  /// Compares the sessions in memory with the store, and closes those that another process has continued,
  /// while the store confirms a process that the bus does not reach: its claims do not arrive.
  func closeContinuedSessions() {
    let now = now
    let isDue = state.withLock { state in
      guard now >= state.nextComparison else { return false }
      let members = state.machine.membership.members
      guard running().contains(where: { members[$0] == nil }) else { return false }
      state.nextComparison = .max
      return true
    }
    guard isDue else { return }
    read { [self] in
      for reactor in hostedReactors {
        var last: String?
        repeat {
          let ids = reactor.liveIDs(after: last, limit: 1_000)
          for id in ids { reactor.closeIfContinued(id) }
          last = ids.last
        } while last != nil
      }
      state.withLock { $0.nextComparison = self.now + Self.comparisonInterval }
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
      guard let reactor = reactor(key.reactor), let session = reactor.liveSession(key.id)
      else { continue }
      reactor.start { [weak self] in
        guard (try? await session.confirmCurrent()) != nil, let self, !isReply else { return }
        send(.claims([key], by: node, isReply: true), to: claimant, about: key)
      }
    }
  }
}
