import Foundation
import Glibc
import PostgresServers
import Testing

/// Three nodes at a database of three servers, whose primary fails, pauses, and is cut off: no acknowledged
/// action is lost or doubled, each stream is in order, without help.
///
/// `make test-faults` injects faults for `CLUSTER_SECONDS` (600).
@Suite(.blocking, .enabled(if: PatroniCluster.packages != nil)) struct FailoverFaultTests {
  private static let seconds =
    ProcessInfo.processInfo.environment["CLUSTER_SECONDS"]
    .flatMap { Int($0) } ?? 60
  /// The names of the faults to inject; all without the variable.
  private static let selection = ProcessInfo.processInfo.environment["CLUSTER_FAULTS"]
    .map { $0.split(separator: ",").map(String.init) }

  private let database: PatroniCluster
  private let network: NodeNetwork
  private let cluster: NodeCluster

  init() throws {
    let database = try PatroniCluster()
    let network = try NodeNetwork()
    (self.database, self.network) = (database, network)
    cluster = try NodeCluster(
      [
        "--cluster-suspect", "2", "--cluster-wait", "20", "--cluster-name", "faults",
        "--start-wait", "300",
      ],
      program: "faulty",
      flagsOfNode: { network.flags(ofNode: $0) + ["--store", database.url(ofNode: $0)] },
      environment: { network.environment(ofNode: $0) })
  }

  @Test func `faults of three servers and three nodes lose and double nothing`() throws {
    try reportingFailure {
      let load = try LedgerLoad(cluster, clients: 6)
      let nemesis = Nemesis(cluster: cluster, load: load, duration: 2.5...10)
      try nemesis.waitForProgress()
      let all =
        Nemesis.Fault.ofNodes + Nemesis.Fault.of(database) + Nemesis.Fault.of(database, network)
      let faults = all.filter { Self.selection?.contains($0.name) ?? true }
      try nemesis.audit(nemesis.run(faults, for: .seconds(Self.seconds)))
    }
  }

  /// Prints what the nodes, the servers and the clients say if a function throws.
  private func reportingFailure(_ body: () throws -> Void) throws {
    do {
      try cluster.reportingEndedNodes(body)
    } catch {
      for member in database.members {
        printNow("p\(member.index + 1): \(member.output.suffix(4000))")
      }
      for node in cluster.nodes { printNow("node: \(node.standardError.suffix(4000))") }
      throw error
    }
  }
}

/// The connections between nodes, and the clocks of the nodes.
final class NodeNetwork: Sendable {
  private let ports: [ReservedPort]
  /// The connections of others to each node.
  let links: [CuttableProxy]
  private let machines: [FaultyMachine]
  private let folder: TemporaryFolder

  init() throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    let ports = try (0..<3).map { _ in try ReservedPort() }
    self.ports = ports
    links = try ports.map { try CuttableProxy(to: $0.port) }
    machines = try ports.map { _ in try FaultyMachine(files: folder) }
  }

  func flags(ofNode index: Int) -> [String] {
    [
      "--cluster-listen", ports[index].address, "--cluster-address",
      "127.0.0.1:\(links[index].port)",
    ]
  }

  func environment(ofNode index: Int) -> [String: String] {
    (try? machines[index].environment) ?? [:]
  }

  /// Sets the clock of a node.
  func setClock(ofNode index: Int, wrongBy seconds: Int) throws {
    try machines[index].setClock(wrongBy: seconds)
  }
}

extension Nemesis.Fault {
  /// The faults of servers with a supervisor.
  static func of(_ database: PatroniCluster) -> [Self] {
    /// Cuts connections for a while.
    @Sendable func cut(_ proxies: [CuttableProxy], _ nemesis: Nemesis) {
      for proxy in proxies { proxy.cut() }
      nemesis.wait(2...15)
      for proxy in proxies { proxy.mend() }
    }
    @Sendable func pause(
      _ member: PatroniCluster.Member, patroniOnly: Bool = false, _ nemesis: Nemesis
    ) throws {
      try member.signal("STOP", patroniOnly: patroniOnly)
      nemesis.wait(2...15)
      try member.signal("CONT", patroniOnly: patroniOnly)
    }
    @Sendable func fill(_ member: PatroniCluster.Member, _ nemesis: Nemesis) throws {
      guard member.hasOwnDisk else { return }
      let file = try member.fillDisk()
      nemesis.wait(2...15)
      try FileManager.default.removeItem(atPath: file)
    }
    return [
      Self("killPrimary") {
        let member = try database.primary()
        member.killAll()
        $0.wait(0...15)
        try database.start(member)
      },
      Self("killServerOfPrimary") { _ in try database.primary().killServer() },
      Self("pausePrimary") { try pause(database.primary(), $0) },
      Self("pauseSupervisor") { try pause(database.primary(), patroniOnly: true, $0) },
      Self("killStandby") {
        let member = try database.standby()
        member.killAll()
        $0.wait(0...15)
        try database.start(member)
      },
      Self("pauseStandby") { try pause(database.standby(), $0) },
      Self("handOver") { _ in try database.primary().handOver() },
      Self("cutPrimary") { cut(try database.primary().proxies, $0) },
      Self("cutReplication") { cut([try database.primary().replication], $0) },
      Self("cutSupervisor") { cut([try database.primary().etcd], $0) },
      Self("cutStandby") { cut(try database.standby().proxies, $0) },
      Self("pauseEtcd") {
        database.signalEtcd(SIGSTOP)
        $0.wait(2...12)
        database.signalEtcd(SIGCONT)
      },
      Self("endConnections") { _ in try database.primary().query(Self.endConnections) },
      Self("endConnectionsAndKillPrimary") { _ in
        // Commits that wait for the standby end without it.
        let (primary, standby) = (try database.primary(), try database.standby())
        try standby.signal("STOP")
        usleep(500_000)
        try primary.query(Self.endConnections)
        usleep(useconds_t.random(in: 0...1_000_000))
        primary.killAll()
        try standby.signal("CONT")
        usleep(10_000_000)
        try database.start(primary)
      },
      Self("fillDiskOfPrimary") { try fill(database.primary(), $0) },
      Self("fillDiskOfStandby") { try fill(database.standby(), $0) },
      Self("killNodeAndPrimary") {
        let member = try database.primary()
        let nemesis = $0
        try nemesis.restart({ $0.process.kill() }) {
          member.killAll()
          nemesis.wait(0...15)
          // No standby may have what this server has acknowledged, if it has started just before.
          try database.start(member)
        }
      },
    ]
  }

  /// The faults of the network between nodes and of their clocks.
  static func of(_ database: PatroniCluster, _ network: NodeNetwork) -> [Self] {
    @Sendable func cut(_ proxies: [CuttableProxy], _ nemesis: Nemesis) {
      for proxy in proxies { proxy.cut() }
      nemesis.wait(2...15)
      for proxy in proxies { proxy.mend() }
    }
    return [
      Self("cutNodeFromDatabase") {
        let index = Int.random(in: 0..<3)
        cut(database.members.map { $0.clients[index] }, $0)
      },
      Self("cutNodeFromOthers") { cut([network.links[Int.random(in: 0..<3)]], $0) },
      Self("cutNodesFromEachOther") { cut(network.links, $0) },
      Self("cutNode") {
        let index = Int.random(in: 0..<3)
        cut(database.members.map { $0.clients[index] } + [network.links[index]], $0)
      },
      Self("setClock") {
        let index = Int.random(in: 0..<3)
        try network.setClock(ofNode: index, wrongBy: Int.random(in: -3600...3600))
        $0.wait()
        try network.setClock(ofNode: index, wrongBy: 0)
      },
    ]
  }
}
