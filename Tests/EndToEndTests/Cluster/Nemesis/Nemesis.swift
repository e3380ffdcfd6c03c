import Brokers
import Foundation
import Glibc
import Testing

/// Injects faults into nodes, brokers and the network between them, in sequence.
struct Nemesis {
  /// A fault.
  enum Fault: String, CaseIterable, Sendable {
    case killNode, stopNode, pauseNode, isolateNode
    case killBroker, stopBroker, pauseBroker, isolateBroker
    /// A broker has no connection to the other brokers.
    ///
    /// Its connections to nodes stay open.
    case divideBrokers
    case killNodeAndBroker
  }

  let network: BrokerNetwork
  let cluster: NodeCluster
  let load: LedgerLoad
  /// The duration of pauses and interruptions, in seconds.
  ///
  /// It is longer than `cluster.suspect`.
  let duration: ClosedRange<Double>

  /// Injects a fault, ends it, and waits until each client has succeeded again.
  func inject(_ fault: Fault) throws {
    let index = Int.random(in: 0..<3)
    let start = ContinuousClock.now
    switch fault {
    case .killNode: try restart(node: index) { $0.process.kill() }
    case .stopNode: try restart(node: index) { $0.process.signal(SIGTERM) }
    case .pauseNode:
      let node = try cluster[index]
      node.process.signal(SIGSTOP)
      wait()
      node.process.signal(SIGCONT)
    case .isolateNode: interrupt(network.links(ofNode: index))
    case .killBroker: try restart(broker: index) { $0.kill() }
    case .stopBroker: try restart(broker: index) { $0.stop() }
    case .pauseBroker:
      network.brokers[index].pause()
      wait()
      network.brokers[index].resume()
    case .isolateBroker: interrupt(network.links(ofBroker: index))
    case .divideBrokers: interrupt(network.links(betweenBrokersAnd: index))
    case .killNodeAndBroker:
      try restart(broker: Int.random(in: 0..<3)) { broker in
        broker.kill()
        try restart(node: index) { $0.process.kill() }
      }
    }
    let end = ContinuousClock.now
    try waitForProgress()
    printNow("\(fault) \(index + 1) for \(end - start): all clients continued after \(.now - end)")
    try cluster.waitUntilReady(3)
  }

  /// Waits until each client has succeeded several times.
  func waitForProgress() throws {
    let before = load.completed
    try #require(
      eventually { zip(before, load.completed).allSatisfy { $0 + 3 <= $1 } }, "\(load.completed)")
  }

  private func wait() {
    usleep(useconds_t(Double.random(in: duration) * 1_000_000))
  }

  private func interrupt(_ links: [NetworkLink]) {
    for link in links { link.interrupt() }
    wait()
    for link in links { link.restore() }
  }

  private func restart(node index: Int, _ end: (ReactordProcess) -> Void) throws {
    let node = try cluster.remove(index)
    end(node)
    let exit = try node.process.wait()
    #expect(exit == .code(0) || exit == .signal(SIGKILL), "\(node.standardError)")
    try cluster.start(index)
  }

  private func restart(broker index: Int, _ end: (Broker) throws -> Void) throws {
    let broker = network.brokers[index]
    try end(broker)
    usleep(useconds_t.random(in: 0...2_000_000))
    try broker.start()
    try broker.waitUntilReady(within: .seconds(60))
  }
}
