import Brokers
import Foundation

/// Three brokers and several nodes, which share all cores with the load.
final class ClusterUnderTest {
  let brokers: BrokerCluster
  private(set) var nodes: [ServerUnderTest] = []

  private let bench: Bench
  private var quotas: [ProcessorQuota] = []

  /// Starts the brokers.
  init(_ bench: Bench) throws {
    self.bench = bench
    brokers = try BrokerCluster()
  }

  /// The ports of the nodes.
  var ports: [Int] { nodes.map(\.port) }

  /// Ends the nodes and starts others, on the same store.
  ///
  /// - Parameter count: The number of nodes.
  /// - Throws: If a node does not start.
  func restart(nodes count: Int) throws {
    for node in nodes { node.stop() }
    (nodes, quotas) = ([], [])
    for index in 0..<count { nodes.append(try start(index)) }
    try waitUntilReady()
  }

  /// Limits the processor time of the nodes until they end.
  ///
  /// - Parameter share: The part of a core that each of them gets.
  /// - Throws: If a node cannot be limited.
  func limit(to share: Double) throws {
    for (index, node) in nodes.enumerated() {
      let quota = try ProcessorQuota("\(index)", share: share)
      try quota.limit(node)
      quotas.append(quota)
    }
  }

  /// The CPU seconds that the nodes and the brokers have used so far.
  var processorTimes: (nodes: Double, brokers: Double) {
    (
      nodes.reduce(0) { $0 + $1.processorTime },
      brokers.brokers.reduce(0) { $0 + ($1.id.map { ServerUnderTest.processorTime(of: $0) } ?? 0) }
    )
  }

  /// Starts a node that was killed again.
  func replace(_ index: Int) throws {
    nodes[index] = try start(index)
    try waitUntilReady()
  }

  /// Waits until each node reports all nodes as ready.
  func waitUntilReady() throws {
    for node in nodes {
      try wait("the nodes did not find each other") {
        try node.figure("reactord_cluster_ready_nodes") == Double(nodes.count)
      }
    }
  }

  /// Waits until the streams of a broker are current.
  func waitUntilCurrent(_ broker: Broker) throws {
    try broker.waitUntilReady(within: .seconds(60))
    try wait("a broker did not recover") {
      let connection = try? RequestConnection(port: Int(broker.monitoringPort))
      return (try? connection?.send("GET", "/healthz").status) == 200
    }
  }

  private func wait(_ failure: String, until condition: () throws -> Bool) throws {
    for _ in 0..<6_000 {
      if try condition() { return }
      usleep(10_000)
    }
    throw BenchmarkError(failure)
  }

  private func start(_ index: Int) throws -> ServerUnderTest {
    try ServerUnderTest(
      bench.programs.appending(path: "reactord"),
      [
        "serve", "--listen", "127.0.0.1:0", "--store", brokers.url, "--cluster-node",
        "n\(index + 1)", "--log-level", "error", "--start-wait", "60",
      ],
      readiness: .line, core: nil)
  }
}

extension ServerUnderTest {
  /// A figure of `/metrics`.
  func figure(_ name: String) throws -> Double? {
    let text = try RequestConnection(port: port).send("GET", "/metrics").body
    for line in text.split(separator: "\n") where line.hasPrefix(name + " ") {
      return Double(line.dropFirst(name.count + 1))
    }
    return nil
  }
}
