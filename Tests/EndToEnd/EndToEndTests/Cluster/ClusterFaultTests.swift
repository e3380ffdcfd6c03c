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
      ["--cluster-suspect", "2", "--cluster-wait", "20"], program: "faulty", on: database)
  }

  @Test func `faults lose and double nothing, and each response is as documented`() throws {
    try cluster.reportingEndedNodes { try injectAndAudit() }
  }

  private func injectAndAudit() throws {
    let load = try LedgerLoad(cluster, clients: Self.seconds == nil ? 2 : 6)
    let nemesis = Nemesis(
      database: database, cluster: cluster, load: load,
      duration: Self.seconds == nil ? 2.5...3 : 2.5...10)
    try nemesis.waitForProgress()
    var counts: [Nemesis.Fault: Int] = [:]
    if let seconds = Self.seconds {
      counts = try run(nemesis, for: .seconds(seconds))
    } else {
      for fault in [Nemesis.Fault.killNode, .pauseNode, .pauseDatabase, .killDatabase] {
        try nemesis.inject(fault)
        counts[fault] = 1
      }
    }
    try load.finish()
    let moves = try cluster.nodes.compactMap {
      try $0.figure("handed_over_sessions_total")
    }
    printNow("sessions that the running nodes have handed over to others: \(moves)")
    let violations = try LedgerAudit(load: load).run()
    printNow("faults: \(counts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
    #expect(violations == LedgerViolations())
  }

  /// Injects faults for a duration.
  ///
  /// - Returns: The number of faults of each kind.
  private func run(
    _ nemesis: Nemesis, for time: Duration
  ) throws -> [Nemesis.Fault: Int] {
    let end = ContinuousClock.now + time
    var faults: [Nemesis.Fault] = []
    var counts: [Nemesis.Fault: Int] = [:]
    while ContinuousClock.now < end {
      // Inject each kind once per round, in a random order.
      if faults.isEmpty { faults = Nemesis.Fault.allCases.shuffled() }
      let fault = faults.removeLast()
      try nemesis.inject(fault)
      counts[fault, default: 0] += 1
      usleep(useconds_t.random(in: 1_000_000...5_000_000))
    }
    return counts
  }
}
