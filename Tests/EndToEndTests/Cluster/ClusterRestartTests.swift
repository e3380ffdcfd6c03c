import Brokers
import Foundation
import Glibc
import Testing

/// Restarts of all nodes in sequence, and of all brokers in sequence: no request of a client behind
/// a load balancer fails.
@Suite(.blocking) struct ClusterRestartTests {
  private let brokers: BrokerCluster
  private let cluster: NodeCluster
  private let proxy: RoundRobinProxy

  init() throws {
    brokers = try BrokerCluster()
    cluster = try NodeCluster(
      ["--shutdown-delay", "15"],
      program: "faulty", store: NATSStore(brokers.url, replicas: 3))
    proxy = try RoundRobinProxy(cluster.nodes.map(\.port))
  }

  @Test func `nodes that restart one after the other fail no request`() throws {
    let load = RestartLoad(port: proxy.port)
    try load.waitForProgress()
    for index in 0..<3 {
      let node = try cluster.remove(index)
      node.process.signal(SIGTERM)
      // The balancer observes the readiness, and the node serves requests for `shutdown.delay`.
      try #require(eventually { (try? node.client().get("/readyz").status) != 200 })
      proxy.remove(node.port)
      try load.waitForProgress()
      #expect(try node.process.wait() == .code(0), "\(node.standardError)")
      let next = try cluster.start(index)
      try cluster.waitUntilReady(3)
      proxy.add(next.port)
      try load.waitForProgress()
    }
    try load.finish()
  }

  @Test func `brokers that restart one after the other fail no request`() throws {
    let load = RestartLoad(port: proxy.port)
    try load.waitForProgress()
    for broker in brokers.brokers {
      broker.stop()
      try load.waitForProgress()
      try broker.start()
      try broker.waitUntilReady(within: Connection.timeout)
      // The next broker must not stop before this one has all messages.
      #expect(eventually { (try? Self.isCurrent(broker)) == true })
      try load.waitForProgress()
    }
    try load.finish()
  }

  private static func isCurrent(_ broker: Broker) throws -> Bool {
    let (response, _) = try HTTPClient(port: broker.monitoringPort)
      .raw("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    return response.status == 200
  }
}
