import Brokers
import Glibc

/// A fault whose effect on clients of other nodes is measured.
enum ClusterFault: CaseIterable {
  case killedNode, pausedNode, stoppedBroker, killedBroker

  var name: String {
    switch self {
    case .killedNode: "node killed"
    case .pausedNode: "node paused"
    case .stoppedBroker: "broker stopped"
    case .killedBroker: "broker killed"
    }
  }

  /// The longest delay that the documentation states, in milliseconds.
  var goal: Double {
    switch self {
    case .killedNode, .stoppedBroker: 500
    case .pausedNode: 3_000
    case .killedBroker: 10_000
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
          load: "\(fault.name), delay, \(quantile)", contestant: "3 nodes, 3 brokers", unit: "ms",
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
    case .stoppedBroker: cluster.brokers.brokers[index].stop()
    case .killedBroker: cluster.brokers.brokers[index].kill()
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
    case .stoppedBroker, .killedBroker:
      let broker = cluster.brokers.brokers[index]
      try broker.start()
      try cluster.waitUntilCurrent(broker)
    }
  }
}
