import Foundation

extension Scenario {
  /// A database and three nodes.
  static var cluster: Scenario {
    Scenario(
      name: "cluster", summary: "three nodes on PostgreSQL, durable POST, on all cores",
      isPartOfAll: false
    ) { bench in
      let cluster = try ClusterUnderTest(bench)
      try cluster.restart(nodes: 3)
      try posts(cluster, bench)
      try forwarding(cluster, bench)
      try fanOut(cluster, bench)
      for fault in ClusterFault.allCases { try delays(by: fault, cluster, bench) }
      try scaling(cluster, bench)
    }
  }

  /// One node and three nodes, each limited to a part of a core.
  static var clusterScaling: Scenario {
    Scenario(
      name: "cluster-scaling", summary: "the nodes of cluster with a part of a core each, alone",
      isPartOfAll: false
    ) { bench in try scaling(ClusterUnderTest(bench), bench) }
  }

  private static let name = "3 nodes, PostgreSQL"

  /// The rate and the latency of requests to any node.
  private static func posts(_ cluster: ClusterUnderTest, _ bench: Bench) throws {
    let loads = [
      (64, false, "64 sessions"), (64, true, "64 sessions, each through one node"),
      (1, false, "1 session"),
    ]
    for (sessions, keepsNodes, load) in loads {
      let outcomes = try (0..<bench.rounds).map { _ in
        var posts = ClusterPostLoad(ports: cluster.ports, sessions: sessions)
        posts.keepsNodes = keepsNodes
        return try posts.run(seconds: 2 * bench.seconds)
      }
      let isGoal = sessions > 1 && !keepsNodes
      bench.report(
        Figure(
          load: "64 connections, \(load)", contestant: name, unit: "responses/s",
          value: Sample(outcomes.map(\.rate)), aim: isGoal ? .atLeast(5_000) : nil))
      bench.report(
        Figure(
          load: "64 connections, \(load), p50", contestant: name, unit: "ms",
          value: Sample(outcomes.map(\.p50))))
      bench.report(
        Figure(
          load: "64 connections, \(load), p99", contestant: name, unit: "ms",
          value: Sample(outcomes.map(\.p99)), aim: isGoal ? .atMost(80) : nil))
    }
  }

  /// The latency of sequential requests at the owner of a session, and at another node.
  private static func forwarding(_ cluster: ClusterUnderTest, _ bench: Bench) throws {
    let path = "/v1/reactors/counter/sessions/forwarded/actions"
    let connections = try cluster.ports.map { try RequestConnection(port: $0) }
    let owner = try cluster.owner(of: path, connections)
    let other = (owner + 1) % cluster.nodes.count
    var medians: [Int: [Double]] = [:]
    for _ in 0..<(3 * bench.rounds) {
      // Alternate the nodes at random: a session whose actions all come from one node moves there.
      var times: [Int: [Double]] = [:]
      for node in (0..<300).flatMap({ _ in [owner, other].shuffled() }) {
        let start = ContinuousClock.now
        _ = try connections[node].post(path)
        times[node, default: []].append((ContinuousClock.now - start) / .milliseconds(1))
      }
      for (node, times) in times { medians[node, default: []].append(Sample(times).median) }
    }
    let (direct, forwarded) = (medians[owner] ?? [], medians[other] ?? [])
    for (contestant, times) in [("at the owner", direct), ("at another node", forwarded)] {
      bench.report(
        Figure(
          load: "1 connection, p50", contestant: contestant, unit: "ms", value: Sample(times)))
    }
    bench.report(
      Figure(
        load: "1 connection, p50", contestant: "forwarding", unit: "ms more",
        value: Sample(zip(direct, forwarded).map { $1 - $0 }), aim: .atMost(1)))
  }

  /// The number of messages that the owner of a session sends per commit if 5,000 streams of all
  /// nodes show the session.
  private static func fanOut(_ cluster: ClusterUnderTest, _ bench: Bench) throws {
    // StreamLoad names its first session 0.
    let path = "/v1/reactors/counter/sessions/0/actions"
    let contestant = Contestants(bench: bench).memory
    let connections = try cluster.ports.map { try RequestConnection(port: $0) }
    let owner = try cluster.owner(of: path, connections)
    var load = StreamLoad(bench)
    load.subscribers = 5_000 / cluster.nodes.count
    let commits = 100
    func hold(_ nodes: ArraySlice<ServerUnderTest>) throws -> Double {
      guard let node = nodes.first else {
        let metric = "reactord_cluster_published_commits_total"
        let before = try cluster.nodes[owner].figure(metric) ?? .nan
        for _ in 0..<commits { _ = try connections[owner].post(path) }
        return try (cluster.nodes[owner].figure(metric) ?? .nan) - before
      }
      return try load.hold(contestant, node) { _ in try hold(nodes.dropFirst()) }
    }
    let messages = try hold(cluster.nodes[...])
    guard messages > 0 else { throw BenchmarkError("no other node received a commit") }
    let remote = Double(commits * (cluster.nodes.count - 1))
    bench.report(
      Figure(
        load: "5,000 streams over 3 nodes", contestant: "the owner", unit: "messages/node/commit",
        value: Sample([messages / remote]), aim: .atMost(1)))
  }
}

extension RequestConnection {
  /// Posts an action.
  fileprivate func post(_ path: String) throws {
    let response = try send("POST", path, json: #""increase""#)
    guard response.status == 200 else { throw BenchmarkError(response.body) }
  }
}

extension ClusterUnderTest {
  /// The index of the node that executes the actions of a session without forwarding them.
  fileprivate func owner(of path: String, _ connections: [RequestConnection]) throws -> Int {
    let metric = "reactord_cluster_forwarded_requests_total"
    for index in nodes.indices {
      try connections[index].post(path)
      let before = try nodes[index].figure(metric)
      try connections[index].post(path)
      if try nodes[index].figure(metric) == before { return index }
    }
    throw BenchmarkError("no node owns the session")
  }
}
