extension Scenario {
  /// Compares the rate of three nodes, each limited to a part of a core, with the rate of one.
  ///
  /// Each node has 64 connections and 64 sessions, so that its processor is the limit, and not the
  /// latency of requests to nodes that wait for their next share. A client that keeps its
  /// connection uses a session through one node, and the session moves to that node. If each
  /// session is used through all nodes, two of three requests reach a node that does not own the
  /// session.
  static func scaling(_ cluster: ClusterUnderTest, _ bench: Bench) throws {
    var outcomes: [CappedNodes: [ScalingOutcome]] = [:]
    var runs = 0
    for _ in 0..<bench.rounds {
      for nodes in CappedNodes.allCases.shuffled() {
        runs += 1
        outcomes[nodes, default: []]
          .append(try ScalingOutcome(nodes, run: runs, cluster, seconds: 2 * bench.seconds))
      }
    }
    let one = (outcomes[.one] ?? []).map(\.rate)
    for nodes in CappedNodes.allCases {
      let found = outcomes[nodes] ?? []
      let ratio = Sample(found.map(\.rate), dividedBy: one)
      bench.report(
        Figure(
          load: "15 % of a core each", contestant: nodes.rawValue, unit: "responses/s",
          value: Sample(found.map(\.rate)),
          ratio: nodes == .one ? nil : .init(to: CappedNodes.one.rawValue, value: ratio),
          aim: nodes == .three ? .atLeast(2.4) : nil))
      for (part, times) in [("nodes", found.map(\.nodes)), ("database", found.map(\.database))] {
        bench.report(
          Figure(
            load: "15 % of a core each, \(part)", contestant: nodes.rawValue,
            unit: "µs of CPU/response", value: Sample(times)))
      }
    }
  }
}

/// The number of nodes of a measurement, and the nodes through which the clients use a session.
private enum CappedNodes: String, CaseIterable {
  case one = "1 node"
  case three = "3 nodes"
  case mixed = "3 nodes, each session through all"
}

/// One measurement of limited nodes.
private struct ScalingOutcome {
  /// The share of a core that each node may use.
  private static let share = 0.15

  /// Responses per second.
  let rate: Double
  /// The CPU time of all nodes and of the database per response, in microseconds.
  let nodes: Double
  let database: Double

  /// The seconds of load before the nodes are limited.
  ///
  /// After that time, the sessions have moved.
  private static let warmUp = 12.0

  init(
    _ nodes: CappedNodes, run: Int, _ cluster: ClusterUnderTest, seconds: Double
  ) throws {
    let count = nodes == .one ? 1 : 3
    try cluster.restart(nodes: count)
    var load = ClusterPostLoad(ports: cluster.ports, sessions: 64 * count)
    load.connections = 64 * count
    load.keepsNodes = nodes == .three
    // Use new sessions. The idempotency keys of many earlier incarnations are not in memory, so a
    // lookup would read the log.
    load.prefix = "capped-\(run)"
    try load.warmUp(seconds: Self.warmUp)
    try cluster.limit(to: Self.share)
    try load.warmUp()
    let before = cluster.processorTimes
    rate = try load.measure(seconds: seconds).rate
    let after = cluster.processorTimes
    let responses = rate * max(2, seconds.rounded()) / 1e6
    self.nodes = (after.nodes - before.nodes) / responses
    database = (after.database - before.database) / responses
  }
}
