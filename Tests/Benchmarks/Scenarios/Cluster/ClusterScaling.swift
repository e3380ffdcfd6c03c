extension Scenario {
  /// The rate of three nodes with a part of a core each, beside that of one.
  ///
  /// Each node has 64 connections and 64 sessions, so that its processor is the limit and not the latency
  /// of requests to nodes that wait for their next share. Two of three requests reach another node than the
  /// owner of their session.
  static func scaling(_ cluster: ClusterUnderTest, _ bench: Bench) throws {
    var outcomes: [Int: [ScalingOutcome]] = [:]
    for _ in 0..<bench.rounds {
      for count in [1, 3].shuffled() {
        let outcome = try ScalingOutcome(nodes: count, cluster, seconds: 2 * bench.seconds)
        outcomes[count, default: []].append(outcome)
      }
    }
    let (one, three) = (outcomes[1] ?? [], outcomes[3] ?? [])
    for (name, found) in [("1 node", one), ("3 nodes", three)] {
      let rate = Sample(found.map(\.rate))
      let ratio = Sample(found.map(\.rate), dividedBy: one.map(\.rate))
      let isGoal = name != "1 node"
      bench.report(
        Figure(
          load: "15 % of a core each", contestant: name, unit: "responses/s", value: rate,
          ratio: isGoal ? .init(to: "1 node", value: ratio) : nil,
          aim: isGoal ? .atLeast(2.4) : nil))
      for (part, times) in [("nodes", found.map(\.nodes)), ("brokers", found.map(\.brokers))] {
        bench.report(
          Figure(
            load: "15 % of a core each, \(part)", contestant: name, unit: "µs of CPU/response",
            value: Sample(times)))
      }
    }
  }
}

/// One measurement of limited nodes.
private struct ScalingOutcome {
  /// The share of a core that each node may use.
  private static let share = 0.15

  /// Responses per second.
  let rate: Double
  /// The CPU time of all nodes and of all brokers per response, in microseconds.
  let nodes: Double
  let brokers: Double

  init(nodes count: Int, _ cluster: ClusterUnderTest, seconds: Double) throws {
    try cluster.restart(nodes: count)
    var load = ClusterPostLoad(ports: cluster.ports, sessions: 64 * count)
    load.connections = 64 * count
    try load.warmUp()
    try cluster.limit(to: Self.share)
    try load.warmUp()
    let before = cluster.processorTimes
    rate = try load.measure(seconds: seconds).rate
    let after = cluster.processorTimes
    let responses = rate * max(2, seconds.rounded()) / 1e6
    nodes = (after.nodes - before.nodes) / responses
    brokers = (after.brokers - before.brokers) / responses
  }
}
