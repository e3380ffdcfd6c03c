internal import ReactorHost
internal import Synchronization
package import Telemetry

/// The counters of a node.
final class NodeCounters: Sendable {
  /// Requests of this node's clients that were sent to other nodes, repetitions included.
  let forwarded = Counter()
  /// Requests that other nodes forwarded to this one.
  let received = Counter()
  /// Commits that were sent to subscribed nodes.
  let published = Counter()
  /// Sessions whose previous owner was another node.
  let takeovers = Counter()
  /// Requests whose session turned out to have another owner.
  let displaced = Counter()
  /// Sessions that this node handed over to the node that all their actions came from.
  let handedOver = Counter()
  /// Nodes that failed or left.
  let failures = Counter()
  /// Times at which the other nodes had marked this one as failed.
  let rejoins = Counter()
  /// Globals of this node that not every living node had applied in time.
  let unconfirmedGlobals = Counter()
}

extension ClusterNode: MetricsSource {
  /// Writes the metrics of the node.
  package func write(to text: inout MetricsText) {
    let (members, ready, pending, remote, differing) = state.withLock { state in
      (
        state.machine.membership.members.count + 1, state.machine.readyNodes.count,
        state.machine.pendingCount, state.subscriptions.count, state.differences.all.count
      )
    }
    text.family(
      "reactord_cluster_nodes", .gauge, "Nodes that are alive, this one included.", members)
    text.family("reactord_cluster_ready_nodes", .gauge, "Nodes that own sessions.", ready)
    text.family(
      "reactord_cluster_different_nodes", .gauge,
      "Nodes whose settings or reactors differ from this node's.", differing)
    text.family(
      "reactord_cluster_owned_sessions", .gauge,
      "Sessions in the memory of this node.", hostedReactors.reduce(0) { $0 + $1.liveSessionCount })
    text.family(
      "reactord_cluster_remote_subscriptions", .gauge,
      "Sessions of other nodes that streams of this one show.", remote)
    text.family(
      "reactord_cluster_pending_requests", .gauge,
      "Requests that wait for the owner of a session.", pending)
    writeCounters(to: &text)
  }

  private func writeCounters(to text: inout MetricsText) {
    text.family(
      "reactord_cluster_forwarded_requests_total", .counter,
      "Requests that this node sent to the owner of their session, repetitions included.",
      counters.forwarded.value)
    text.family(
      "reactord_cluster_received_requests_total", .counter,
      "Requests that other nodes sent.", counters.received.value)
    text.family(
      "reactord_cluster_published_commits_total", .counter,
      "Commits that this node sent to subscribed nodes, one message per node and commit.",
      counters.published.value)
    text.family(
      "reactord_cluster_takeovers_total", .counter,
      "Sessions that this node owns after another one had written to them.",
      counters.takeovers.value)
    text.family(
      "reactord_cluster_displaced_requests_total", .counter,
      "Requests that were executed again because their session had moved to another node.",
      counters.displaced.value)
    text.family(
      "reactord_cluster_handed_over_sessions_total", .counter,
      "Sessions that this node handed over to the node that all their actions came from.",
      counters.handedOver.value)
    text.family(
      "reactord_cluster_node_failures_total", .counter,
      "Nodes that failed or left.", counters.failures.value)
    text.family(
      "reactord_cluster_rejoins_total", .counter,
      "Times at which the other nodes had marked this one as failed.", counters.rejoins.value)
    text.family(
      "reactord_cluster_unconfirmed_globals_total", .counter,
      "Globals set here that another living node had not applied within 0.5 s.",
      counters.unconfirmedGlobals.value)
  }
}
