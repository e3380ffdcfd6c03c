import Glibc
import PostgresServers

/// A fault whose effect on clients of other nodes is measured.
enum ClusterFault: CaseIterable {
  case killedNode, pausedNode, killedDatabase

  var name: String {
    switch self {
    case .killedNode: "node killed"
    case .pausedNode: "node paused"
    case .killedDatabase: "database killed and started again"
    }
  }

  /// The longest delay that the documentation states, in milliseconds.
  var goal: Double {
    switch self {
    case .killedNode: 300
    case .pausedNode: 3_000
    case .killedDatabase: 5_000
    }
  }

  /// The duration of the observation of the clients, in seconds.
  var window: Double { goal / 1_000 + 3 }
}

extension Scenario {
  /// The delay of requests to nodes that did not fail.
  static func delays(
    by fault: ClusterFault, _ cluster: ClusterUnderTest, _ bench: Bench
  ) throws {
    var delays: [Double] = []
    for round in 0..<(bench.rounds + 2) {
      let index = round % 3
      let ports = cluster.ports
      let isNode = fault == .killedNode || fault == .pausedNode
      let load = RecoveryLoad(
        ports: isNode ? ports.indices.filter { $0 != index }.map { ports[$0] } : ports)
      defer { load.finish() }
      delays += try load.delays(within: fault.window) { try inject(fault, index, cluster) }
      try end(fault, index, cluster)
    }
    let sorted = delays.sorted()
    for (quantile, part) in [("p50", 0.5), ("p99", 0.99)] {
      bench.report(
        Figure(
          load: "\(fault.name), delay, \(quantile)", contestant: "3 nodes, PostgreSQL", unit: "ms",
          value: Sample([sorted[Int(Double(sorted.count - 1) * part)]]),
          aim: quantile == "p99" ? .atMost(fault.goal) : nil))
    }
  }

  private static func inject(
    _ fault: ClusterFault, _ index: Int, _ cluster: ClusterUnderTest
  ) throws {
    switch fault {
    case .killedNode: cluster.nodes[index].signal(SIGKILL)
    case .pausedNode: cluster.nodes[index].signal(SIGSTOP)
    case .killedDatabase:
      try cluster.database.kill()
      try cluster.database.start()
    }
  }

  private static func end(
    _ fault: ClusterFault, _ index: Int, _ cluster: ClusterUnderTest
  ) throws {
    switch fault {
    case .killedNode: try cluster.replace(index)
    case .pausedNode:
      cluster.nodes[index].signal(SIGCONT)
      try cluster.waitUntilReady()
    case .killedDatabase: try cluster.waitUntilReady()
    }
  }
}
