import Foundation
import Glibc
import PostgresServers
import Testing

/// Injects faults into nodes and their database, in sequence.
struct Nemesis {
  /// A fault.
  enum Fault: String, CaseIterable, Sendable {
    case killNode, stopNode, pauseNode
    case killDatabase, pauseDatabase
    /// All connections to the database end.
    case endConnections
    case killNodeAndDatabase
  }

  let database: PostgresServer
  let cluster: NodeCluster
  let load: LedgerLoad
  /// The duration of pauses, in seconds.
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
    case .killDatabase: try restartDatabase {}
    case .pauseDatabase:
      try database.pause()
      wait()
      try database.resume()
    case .endConnections:
      try database.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()")
    case .killNodeAndDatabase:
      let node = try cluster.remove(index)
      try restartDatabase {
        node.process.kill()
        try node.process.wait()
      }
      try cluster.start(index)
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

  private func restart(node index: Int, _ end: (ReactordProcess) -> Void) throws {
    let node = try cluster.remove(index)
    end(node)
    let exit = try node.process.wait()
    #expect(exit == .code(0) || exit == .signal(SIGKILL), "\(node.standardError)")
    try cluster.start(index)
  }

  /// Kills the database, and starts it again after up to two seconds.
  private func restartDatabase(_ meanwhile: () throws -> Void) throws {
    try database.kill()
    try meanwhile()
    usleep(useconds_t.random(in: 0...2_000_000))
    try database.start()
  }
}
