package import ReactorLog
internal import ReactorHost
internal import Synchronization

/// A node as this node sees it.
package struct NodeStatus: Sendable {
  package let node: NodeID

  /// The readiness of the node.
  package let state: NodeState

  /// The description of the node, or `nil` if it has not replied in time.
  package let description: NodeDescription?

  /// Whether the node is this process.
  package let isThis: Bool

  /// The differences between the node and this one, in words.
  package let differences: [String]
}

extension ClusterNode {
  /// The description of this process.
  var description: NodeDescription {
    NodeDescription(
      release: release, sessions: hostedReactors.reduce(0) { $0 + $1.liveSessionCount })
  }

  /// Lists all nodes that are alive, in the order of their names, and those that are gone.
  ///
  /// Waits at most 0.5 s for the descriptions of the others.
  package func nodes() async -> (alive: [NodeStatus], gone: [GoneNodes.Entry]) {
    let replies = await requestAll(.describe)
    let descriptions = Dictionary(replies.map { ($0.0, $0.1?.described) }) { $1 }
    let (me, members, differences, gone) = state.withLock { state in
      let members = state.machine.membership.members.values.map(\.heartbeat)
      return (
        state.machine.currentHeartbeat, members,
        Dictionary(state.differences.all.map { ($0.node, $0.differences) }) { $1 },
        state.gone.entries(at: .now, without: members.map(\.node.name))
      )
    }
    let others = members.map { heartbeat in
      NodeStatus(
        node: heartbeat.node, state: heartbeat.state,
        description: descriptions[heartbeat.node] ?? nil, isThis: false,
        differences: differences[heartbeat.node] ?? [])
    }
    let own = NodeStatus(
      node: me.node, state: me.state, description: description, isThis: true, differences: [])
    return ((others + [own]).sorted { $0.node.description < $1.node.description }, gone)
  }
}

extension NodeReply {
  /// The description in a reply to `NodeRequest.describe`.
  fileprivate var described: NodeDescription? {
    guard case .description(let description) = self else { return nil }
    return description
  }
}
