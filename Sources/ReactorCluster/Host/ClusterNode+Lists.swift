internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Lists of sessions: the log has all that are stored, the owners the others and the subscribers.
extension ClusterNode {
  /// The sessions of a reactor that the other nodes have in memory; a node that does not reply in time
  /// is left out.
  func summaries(
    of reactor: String, after id: String?, limit: Int,
    completion: @escaping @Sendable ([SessionSummary]) -> Void
  ) {
    let (me, others, timeout) = state.withLock { state in
      let machine = state.machine
      return (machine.node, Array(machine.membership.members.keys), machine.settings.listLimit)
    }
    guard !others.isEmpty else { return completion([]) }
    let collected = Collected(others.count, completion)
    let request = NodeRequest.list(reactor: reactor, after: id, limit: limit).bytes(from: me)
    for other in others {
      bus.request(request, to: other, within: .milliseconds(timeout)) { [weak self] result in
        if case .failure(.noSuchNode) = result {
          self?.handle { $0.notDelivered(to: other, at: $1) }
        }
        guard case .success(let bytes) = result,
          case .sessions(let found)? = NodeReply(reading: bytes)
        else {
          return collected.add([])
        }
        collected.add(found)
      }
    }
  }

  /// The sessions of a reactor that this node has in memory.
  func reply(
    toListOf reactor: String, after id: String?, limit: Int, _ reply: @Sendable ([UInt8]) -> Void
  ) {
    let found = self.reactor(reactor)?.liveSummaries(after: id, limit: min(limit, 10_000)) ?? []
    reply(NodeReply.sessions(found).bytes)
  }
}

/// The replies to a list.
private final class Collected: Sendable {
  private let pending: Mutex<(count: Int, summaries: [SessionSummary])>
  private let completion: @Sendable ([SessionSummary]) -> Void

  init(
    _ count: Int, _ completion: @escaping @Sendable ([SessionSummary]) -> Void
  ) {
    pending = Mutex((count: count, summaries: []))
    self.completion = completion
  }

  func add(_ found: [SessionSummary]) {
    let all = pending.withLock { pending -> [SessionSummary]? in
      pending.count -= 1
      pending.summaries += found
      return pending.count == 0 ? pending.summaries : nil
    }
    if let all { completion(all) }
  }
}
