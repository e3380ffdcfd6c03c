import Brokers
import Foundation
import Glibc
import Testing

/// Kills, stops and pauses of nodes and brokers under load: no acknowledged action is lost, none is
/// doubled, and each stream is in order.
///
/// `make test-faults` continues for `CLUSTER_SECONDS` (60); without it a node and a broker are killed.
@Suite(.blocking) struct ClusterFaultTests {
  private static let seconds = ProcessInfo.processInfo.environment["CLUSTER_SECONDS"]
    .flatMap { Int($0) }

  /// A fault of one process.
  private enum Fault: CaseIterable {
    case kill, stop, pause
  }

  private enum Target: CaseIterable {
    case node, broker
  }

  private let brokers: BrokerCluster
  private let cluster: NodeCluster

  init() throws {
    brokers = try BrokerCluster()
    cluster = try NodeCluster(
      ["--cluster-suspect", "3", "--cluster-wait", "20"],
      store: NATSStore(brokers.url, replicas: 3))
  }

  @Test func `faults lose and double nothing, and streams stay in order`() throws {
    let load = try ClusterLoad(cluster, clients: 4)
    try progress(of: load)
    if let seconds = Self.seconds {
      let end = ContinuousClock.now + .seconds(seconds)
      while ContinuousClock.now < end {
        let target = try #require(Target.allCases.randomElement())
        try inject(#require(Fault.allCases.randomElement()), into: target, load)
      }
    } else {
      try inject(.kill, into: .node, load)
      try inject(.kill, into: .broker, load)
    }
    try load.finish()
    try load.check()
    for node in cluster.nodes {
      #expect(try MetricsReading(node.client())["reactord_log_forks_total"] == 0)
    }
  }

  /// Injects a fault into one process, and waits until all clients have succeeded afterwards.
  private func inject(_ fault: Fault, into target: Target, _ load: ClusterLoad) throws {
    let index = Int.random(in: 0..<3)
    let start = ContinuousClock.now
    switch target {
    case .node: try inject(fault, intoNode: index)
    case .broker: try inject(fault, intoBroker: index)
    }
    try progress(of: load)
    try cluster.waitUntilReady(3)
    print("\(fault) of \(target) \(index + 1): all clients continued after", .now - start)
  }

  private func inject(_ fault: Fault, intoNode index: Int) throws {
    switch fault {
    case .kill:
      let node = try cluster.remove(index)
      node.process.kill()
      try node.process.wait()
      try cluster.start(index)
    case .stop:
      let node = try cluster.remove(index)
      #expect(try node.stop() == .code(0), "\(node.standardError)")
      try cluster.start(index)
    case .pause:
      let node = try cluster[index]
      node.process.signal(SIGSTOP)
      pause(1...5)
      node.process.signal(SIGCONT)
    }
  }

  private func inject(_ fault: Fault, intoBroker index: Int) throws {
    let broker = brokers.brokers[index]
    switch fault {
    case .kill:
      broker.kill()
      pause(0...2)
      try broker.start()
    case .stop:
      broker.stop()
      pause(0...2)
      try broker.start()
    case .pause:
      broker.pause()
      pause(1...5)
      broker.resume()
    }
    try broker.waitUntilReady(within: .seconds(60))
  }

  /// The duration of a fault.
  private func pause(_ seconds: ClosedRange<Double>) {
    usleep(useconds_t(Double.random(in: seconds) * 1_000_000))
  }

  /// Waits until each client has succeeded several times.
  private func progress(of load: ClusterLoad) throws {
    let before = load.progress
    try #require(
      eventually { zip(before, load.progress).allSatisfy { $0 + 3 <= $1 } }, "\(load.progress)")
  }
}
