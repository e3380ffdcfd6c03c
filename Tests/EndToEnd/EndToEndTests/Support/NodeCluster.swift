import PostgresServers
import Synchronization
import Testing

/// Several services that share a store of their own in PostgreSQL.
///
/// A node without heartbeats counts as failed only after 60 s, so that no node fails on a busy
/// machine. A killed node is detected by the first request to it.
final class NodeCluster: Sendable {
  private let secret: ClusterSecret
  private let flags: [String]
  private let flagsOfNode: @Sendable (Int) -> [String]
  private let environment: @Sendable (Int) -> [String: String]
  private let program: String
  private let credential: [String: String]
  private let running: Mutex<[ReactordProcess?]>

  /// Starts nodes, and waits until each node reports all nodes as ready.
  ///
  /// The database is the one that the tests share, unless another one is passed. The credential is needed to
  /// read the metrics.
  convenience init(
    _ flags: [String] = [], count: Int = 3, program: String = "reactord",
    on database: PostgresServer? = nil, environment: [String: String] = [:],
    credential: [String: String] = [:]
  ) throws {
    try self.init(
      ReactordProcess.newDatabase(at: database) + flags, count: count, program: program,
      credential: credential, environment: { _ in environment })
  }

  /// Starts nodes with a store that the flags state, some of them with flags and variables of their own.
  init(
    _ flags: [String], count: Int = 3, program: String = "reactord",
    credential: [String: String] = [:],
    flagsOfNode: @escaping @Sendable (Int) -> [String] = { _ in [] },
    environment: @escaping @Sendable (Int) -> [String: String]
  ) throws {
    secret = try ClusterSecret()
    self.credential = credential
    self.flags = secret.flags + ["--cluster-suspect", "60"] + flags
    self.flagsOfNode = flagsOfNode
    self.program = program
    self.environment = environment
    running = Mutex(Array(repeating: nil, count: count))
    for index in 0..<count { try start(index) }
    try waitUntilReady(count)
  }

  /// The nodes that were started and not ended, in the order of their names.
  var nodes: [ReactordProcess] { running.withLock { $0.compactMap { $0 } } }

  /// A node by its index.
  subscript(_ index: Int) -> ReactordProcess {
    get throws { try #require(running.withLock { $0[index] }) }
  }

  /// Starts a node, which joins the cluster.
  @discardableResult
  func start(_ index: Int, _ additional: [String] = []) throws -> ReactordProcess {
    let node = try ReactordProcess(
      flags + ["--cluster-node", "n\(index + 1)"] + flagsOfNode(index) + additional,
      program: program,
      environment: environment(index))
    running.withLock { $0[index] = node }
    return node
  }

  /// Removes a node, which the caller ends.
  func remove(_ index: Int) throws -> ReactordProcess {
    try #require(running.withLock { $0[index].take() })
  }

  /// Waits until each node reports a number of ready nodes.
  func waitUntilReady(_ count: Int) throws {
    for node in nodes {
      try #require(eventually { try node.figure("ready_nodes", credential) == count })
    }
  }

  /// Executes a function; if it throws, records the standard error of each node that has ended.
  func reportingEndedNodes(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      for node in nodes where !node.process.isRunning {
        Issue.record("a node has ended: \(node.standardError.suffix(10_000))")
      }
      throw error
    }
  }

  /// Returns the index of the only node that has sessions in memory.
  ///
  /// After a takeover, the former owner can still have a session in memory for a moment.
  func owner() throws -> Int {
    let nodes = running.withLock { $0 }
    var owners: [Int] = []
    _ = try eventually {
      owners = try nodes.indices.filter {
        try nodes[$0]?.figure("owned_sessions", credential) ?? 0 > 0
      }
      return owners.count == 1
    }
    try #require(owners.count == 1, "\(owners)")
    return owners[0]
  }

  /// Clients of one session, one at each node.
  func clients(of reactor: String, _ id: String) -> [SessionClient] {
    nodes.map { SessionClient($0.client(), "/v1/reactors/\(reactor)/sessions/\(id)") }
  }
}

extension ReactordProcess {
  /// A metric of the cluster.
  func figure(_ name: String, _ credential: [String: String] = [:]) throws -> Int? {
    try MetricsReading(client(), credential)["reactord_cluster_\(name)"].map { Int($0) }
  }
}
