import Glibc
import PostgresServers
import Testing

/// Restarts of all nodes in sequence, and of the database: no request of a client behind a load balancer
/// fails.
@Suite(.blocking) struct ClusterRestartTests {
  private let database: PostgresServer
  private let cluster: NodeCluster
  private let proxy: RoundRobinProxy

  init() throws {
    database = try PostgresServer()
    cluster = try NodeCluster(["--shutdown-delay", "15"], program: "faulty", on: database)
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

  @Test func `a database that restarts fails no request`() throws {
    let load = RestartLoad(port: proxy.port)
    try load.waitForProgress()
    for _ in 0..<3 {
      try database.kill()
      try database.start()
      try load.waitForProgress()
    }
    try load.finish()
  }
}
