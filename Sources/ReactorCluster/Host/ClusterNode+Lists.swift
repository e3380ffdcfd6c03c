internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Lists of sessions. The log lists the stored sessions; the owners list the sessions in memory and
/// their subscribers.
extension ClusterNode {
  /// Requests the sessions of a reactor that the other nodes have in memory.
  ///
  /// Omits nodes that do not reply in time.
  func summaries(
    of reactor: String, after id: String?, limit: Int,
    completion: @escaping @Sendable ([SessionSummary]) -> Void
  ) {
    let request = NodeRequest.list(reactor: reactor, after: id, limit: limit)
    requestAll(request) { replies in
      completion(
        replies.flatMap { node, reply -> [SessionSummary] in
          guard case .sessions(let found)? = reply else { return [] }
          return found.map { $0.at(node.name) }
        })
    }
  }

  /// Sends a request to all other nodes, and collects their replies; `nil` for a node that does not
  /// reply in time.
  func requestAll(
    _ request: NodeRequest, completion: @escaping @Sendable ([(NodeID, NodeReply?)]) -> Void
  ) {
    let (me, others, timeout) = state.withLock { state in
      let machine = state.machine
      return (machine.node, Array(machine.membership.members.keys), machine.settings.listLimit)
    }
    guard !others.isEmpty else { return completion([]) }
    let collected = Collected(others.count, completion)
    let bytes = request.bytes(from: me)
    for other in others {
      bus.request(bytes, to: other, within: .milliseconds(timeout)) { [weak self] result in
        if case .failure(.noSuchNode) = result {
          self?.handle { $0.notDelivered(to: other, at: $1) }
        }
        collected.add(other, (try? result.get()).flatMap { NodeReply(reading: $0) })
      }
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
}

/// Collects the replies of several nodes.
private final class Collected: Sendable {
  private let pending: Mutex<(count: Int, replies: [(NodeID, NodeReply?)])>
  private let completion: @Sendable ([(NodeID, NodeReply?)]) -> Void

  init(
    _ count: Int, _ completion: @escaping @Sendable ([(NodeID, NodeReply?)]) -> Void
  ) {
    pending = Mutex((count: count, replies: []))
    self.completion = completion
  }

  func add(_ node: NodeID, _ reply: NodeReply?) {
    let all = pending.withLock { pending -> [(NodeID, NodeReply?)]? in
      pending.count -= 1
      pending.replies.append((node, reply))
      return pending.count == 0 ? pending.replies : nil
    }
    if let all { completion(all) }
  }
}
