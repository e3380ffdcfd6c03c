internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Lists of sessions. The log lists the stored sessions; the owners list the sessions in memory and
/// their subscribers.
extension ClusterNode {
  /// Requests the sessions of a reactor that the other nodes have in memory.
  ///
  /// Omits nodes that do not reply in time.
  func summaries(of reactor: String, after id: String?, limit: Int) async -> [SessionSummary] {
    let replies = await requestAll(.list(reactor: reactor, after: id, limit: limit))
    return replies.flatMap { node, reply -> [SessionSummary] in
      guard case .sessions(let found)? = reply else { return [] }
      return found.map { $0.at(node.name) }
    }
  }

  /// Sends a request to all other nodes, and collects their replies, or returns `nil` for a node that does not
  /// reply in time.
  func requestAll(_ request: NodeRequest) async -> [(NodeID, NodeReply?)] {
    let (me, others, timeout) = state.withLock { state in
      let machine = state.machine
      return (machine.node, Array(machine.membership.members.keys), machine.settings.listLimit)
    }
    let bytes = request.bytes(from: me)
    return await withTaskGroup { group in
      for other in others {
        group.addTask { [self] in
          (other, await reply(of: other, to: bytes, within: .milliseconds(timeout)))
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private func reply(
    of node: NodeID, to bytes: [UInt8], within timeout: Duration
  ) async -> NodeReply? {
    do throws(BusError) {
      return NodeReply(reading: try await bus.request(bytes, to: node, within: timeout))
    } catch {
      if error == .noSuchNode { handle { $0.notDelivered(to: node, at: $1) } }
      return nil
    }
  }

  /// Replies with the sessions of a reactor that this node has in memory.
  func reply(
    toListOf reactor: String, after id: String?, limit: Int, _ reply: @Sendable ([UInt8]) -> Void
  ) {
    let found = self.reactor(reactor)?.liveSummaries(after: id, limit: min(limit, 10_000)) ?? []
    reply(NodeReply.sessions(found).bytes)
  }
}

extension SessionSummary {
  /// Returns the summary with the name of the node that has the session in memory.
  func at(_ node: String) -> SessionSummary {
    var summary = self
    summary.node = node
    return summary
  }

  /// Merges the lists of this node and of the others.
  ///
  /// - Parameters:
  ///   - listed: The sessions in the log, and those in this node's memory with its name.
  ///   - live: The sessions in the memories of the other nodes, with their names.
  /// - Returns: One summary per session, in any order.
  static func merge(_ listed: [SessionSummary], _ live: [SessionSummary]) -> [SessionSummary] {
    var merged: [String: SessionSummary] = [:]
    // Several nodes may list a session: a node that was paused has an outdated copy.
    for copy in listed.filter({ $0.node != nil }) + live {
      if let known = merged[copy.id], known.precedes(copy) { continue }
      merged[copy.id] = copy
    }
    for stored in listed where stored.node == nil {
      merged[stored.id] = merged[stored.id]?.updated(by: stored) ?? stored
    }
    return Array(merged.values)
  }

  /// Returns whether this copy of a session counts, and not another node's copy: the later one, or
  /// of two at the same position the one with more subscribers.
  private func precedes(_ other: SessionSummary) -> Bool {
    if isLater(than: other) { return true }
    return !other.isLater(than: self) && subscribers > other.subscribers
  }

  /// Returns this copy with the position of the log, if that is later.
  ///
  /// The copy may be outdated, or its node may not have the confirmation of an append yet: both
  /// have subscribers. A copy of an earlier history has none.
  private func updated(by stored: SessionSummary) -> SessionSummary {
    guard stored.isLater(than: self) else { return self }
    guard stored.cursor.epoch == cursor.epoch else { return stored }
    return SessionSummary(
      id: id, cursor: stored.cursor, subscribers: subscribers, effects: effects,
      lastActiveAt: stored.lastActiveAt, node: node)
  }

  /// Compares versions, or the times of the last changes in different histories.
  private func isLater(than other: SessionSummary) -> Bool {
    cursor.epoch == other.cursor.epoch
      ? cursor.version > other.cursor.version
      : lastActiveAt.milliseconds > other.lastActiveAt.milliseconds
  }
}
