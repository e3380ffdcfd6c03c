import Foundation
import PostgresServers

/// A database and several nodes, which share all cores with the load.
final class ClusterUnderTest {
  let database: PostgresServer
  private(set) var nodes: [ServerUnderTest] = []

  private let bench: Bench
  private let secret = FileManager.default.temporaryDirectory
    .appending(path: "secret-\(UUID().uuidString)")
  private var quotas: [ProcessorQuota] = []

  /// Starts the database, which syncs the disk for each commit.
  init(_ bench: Bench) throws {
    self.bench = bench
    try "a secret of more than 32 bytes for measurements".write(
      to: secret, atomically: true, encoding: .utf8)
    database = try PostgresServer(["fsync": "on"])
  }

  deinit { try? FileManager.default.removeItem(at: secret) }

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

  /// The CPU seconds that the nodes and the processes of the database have used so far.
  var processorTimes: (nodes: Double, database: Double) {
    let servers = database.id.map { [$0] + Self.children(of: $0) } ?? []
    return (
      nodes.reduce(0) { $0 + $1.processorTime },
      servers.reduce(0) { $0 + ServerUnderTest.processorTime(of: $1) }
    )
  }

  private static func children(of id: Int32) -> [Int32] {
    let text = try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
    return text?.split(separator: " ").compactMap { Int32($0) } ?? []
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
        "serve", "--listen", "127.0.0.1:0", "--store", database.url(), "--cluster-node",
        "n\(index + 1)", "--cluster-listen", "127.0.0.1:0", "--cluster-secret", secret.path,
        "--log-level", "error",
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
