import Foundation
import PostgresServers
import Testing

/// Kills, stops and pauses nodes and their database under load: no acknowledged action is lost or doubled,
/// each stream is in order, and each request has a documented response.
///
/// `make test-faults` injects faults for `CLUSTER_SECONDS` (600). Without the variable, each of
/// four kinds of faults is injected once.
@Suite(.blocking) struct ClusterFaultTests {
  private static let seconds = ProcessInfo.processInfo.environment["CLUSTER_SECONDS"]
    .flatMap { Int($0) }

  private let database: PostgresServer
  private let cluster: NodeCluster

  init() throws {
    database = try PostgresServer()
    cluster = try NodeCluster(
      ["--cluster-suspect", "2", "--cluster-wait", "20", "--start-wait", "300"], program: "faulty",
      on: database)
  }

  @Test func `faults lose and double nothing, and each response is as documented`() throws {
    try cluster.reportingEndedNodes { try injectAndAudit() }
  }

  private func injectAndAudit() throws {
    let load = try LedgerLoad(cluster, clients: Self.seconds == nil ? 2 : 6)
    let nemesis = Nemesis(
      cluster: cluster, load: load, duration: Self.seconds == nil ? 2.5...3 : 2.5...10)
    try nemesis.waitForProgress()
    let faults = Nemesis.Fault.ofNodes + Nemesis.Fault.of(database)
    var counts: [String: Int] = [:]
    if let seconds = Self.seconds {
      counts = try nemesis.run(faults, for: .seconds(seconds))
    } else {
      let names = ["killNode", "pauseNode", "pauseDatabase", "killDatabase"]
      for fault in faults where names.contains(fault.name) {
        try nemesis.inject(fault)
        counts[fault.name] = 1
      }
    }
    try nemesis.audit(counts)
  }
}
