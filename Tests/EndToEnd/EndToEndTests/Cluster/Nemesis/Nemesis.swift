import Foundation
import Glibc
import PostgresServers
import Testing

/// Injects faults into nodes and their database, in sequence.
struct Nemesis {
  /// A fault: a function that injects it, and ends it.
  struct Fault: Sendable {
    let name: String
    let inject: @Sendable (Nemesis) throws -> Void

    init(_ name: String, _ inject: @escaping @Sendable (Nemesis) throws -> Void) {
      (self.name, self.inject) = (name, inject)
    }
  }

  let cluster: NodeCluster
  let load: LedgerLoad
  /// The duration of pauses, in seconds.
  ///
  /// It is longer than `cluster.suspect`.
  let duration: ClosedRange<Double>

  /// Injects a fault, and waits until each client has succeeded again.
  func inject(_ fault: Fault) throws {
    let start = ContinuousClock.now
    printNow("\(fault.name) …")
    try fault.inject(self)
    let end = ContinuousClock.now
    try waitForProgress()
    printNow("\(fault.name) for \(end - start): all clients continued after \(.now - end)")
    try cluster.waitUntilReady(3)
  }

  /// Injects each fault once per round, in a random order, for a duration.
  ///
  /// - Returns: The number of faults of each kind.
  func run(_ faults: [Fault], for time: Duration) throws -> [String: Int] {
    let end = ContinuousClock.now + time
    var round: [Fault] = []
    var counts: [String: Int] = [:]
    while ContinuousClock.now < end {
      if round.isEmpty { round = faults.shuffled() }
      let fault = round.removeLast()
      try inject(fault)
      counts[fault.name, default: 0] += 1
      usleep(useconds_t.random(in: 1_000_000...5_000_000))
    }
    return counts
  }

  /// Ends the load, and compares its responses with the logs.
  func audit(_ counts: [String: Int]) throws {
    try load.finish()
    let moves = try cluster.nodes.compactMap { try $0.figure("handed_over_sessions_total") }
    printNow("sessions that the running nodes have handed over to others: \(moves)")
    let violations = try LedgerAudit(load: load).run()
    printNow("faults: \(counts.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", "))")
    #expect(violations == LedgerViolations())
  }

  /// Waits until each client has succeeded several times.
  func waitForProgress() throws {
    let before = load.completed
    try #require(
      eventually { zip(before, load.completed).allSatisfy { $0 + 3 <= $1 } }, "\(load.completed)")
  }

  /// Waits for the duration of a pause, or for as long as stated.
  func wait(_ duration: ClosedRange<Double>? = nil) {
    usleep(useconds_t(Double.random(in: duration ?? self.duration) * 1_000_000))
  }

  /// Ends a node, and starts it again.
  func restart(
    _ end: (ReactordProcess) -> Void, meanwhile: () throws -> Void = {}
  ) throws {
    let index = Int.random(in: 0..<3)
    let node = try cluster.remove(index)
    end(node)
    try meanwhile()
    let exit = try node.process.wait()
    #expect(exit == .code(0) || exit == .signal(SIGKILL), "\(node.standardError)")
    try cluster.start(index)
  }
}

extension Nemesis.Fault {
  static let killNode = Self("killNode") { try $0.restart { $0.process.kill() } }
  static let stopNode = Self("stopNode") { try $0.restart { $0.process.signal(SIGTERM) } }
  static let pauseNode = Self("pauseNode") {
    let node = try $0.cluster[Int.random(in: 0..<3)]
    node.process.signal(SIGSTOP)
    $0.wait()
    node.process.signal(SIGCONT)
  }

  /// The faults of nodes.
  static let ofNodes = [killNode, stopNode, pauseNode]

  /// Ends all connections to a database.
  static let endConnections =
    "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' "
    + "and pid <> pg_backend_pid()"

  /// The faults of a database without standbys.
  static func of(_ database: PostgresServer) -> [Self] {
    /// Kills the database, and starts it again after up to two seconds.
    @Sendable func restart() throws {
      try database.kill()
      usleep(useconds_t.random(in: 0...2_000_000))
      try database.start()
    }
    return [
      Self("killDatabase") { _ in try restart() },
      Self("pauseDatabase") {
        try database.pause()
        $0.wait()
        try database.resume()
      },
      Self("endConnections") { _ in try database.query(Self.endConnections) },
      Self("killNodeAndDatabase") { try $0.restart({ $0.process.kill() }, meanwhile: restart) },
    ]
  }
}
