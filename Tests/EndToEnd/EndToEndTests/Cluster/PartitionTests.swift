import Foundation
import PostgresServers
import Synchronization
import Testing

/// Two nodes whose connections to each other and to the database are cut, and stay open.
@Suite(.blocking) struct PartitionTests {
  /// The connections that a node loses.
  enum Cut: String, CaseIterable, Sendable {
    case others, database, all
  }

  /// The longest time for which a node serves a State from memory after another node has committed the next one, in
  /// milliseconds; Clusters.md states it.
  private static let bound = 3_000

  private let path = "/v1/reactors/counter/sessions/demo"
  private let network: NodeNetwork
  private let proxies: [CuttableProxy]
  private let cluster: NodeCluster

  init() throws {
    let database = try PostgresServer.shared.get()
    let network = try NodeNetwork()
    let proxies = try (0..<2).map { _ in try CuttableProxy(to: database) }
    (self.network, self.proxies) = (network, proxies)
    cluster = try NodeCluster(
      ["--cluster-suspect", "2", "--cluster-name", PostgresServer.newSchema()], count: 2,
      flagsOfNode: { index in
        let port = proxies[index].port
        return network.flags(ofNode: index)
          + ["--store", "postgres://postgres@127.0.0.1:\(port)/postgres?sslmode=disable"]
      }, environment: { _ in [:] })
  }

  private func session(_ index: Int) throws -> SessionClient {
    SessionClient(try cluster[index].client(), path)
  }

  private static let start = ContinuousClock.now

  /// Milliseconds since the first call.
  private static var now: Int {
    Int(start.duration(to: .now) / .milliseconds(1))
  }

  @Test(arguments: Cut.allCases)
  func `a node that is cut off serves nothing that is older than three seconds`(cut: Cut) throws {
    #expect(try session(0).post(#""increase""#).status == 200)
    let owner = try cluster.owner()
    let other = 1 - owner
    let cuts =
      (cut == .database ? [] : network.links[0...1]) + (cut == .others ? [] : [proxies[owner]])

    // The times of the commits at the other node, by version.
    let commits = Mutex<[Int: Int]>([:])
    let isOver = Atomic(false)
    let hasRead = Watched(false)
    let writing = try cluster[other].port
    let failures = Mutex<[String]>([])
    let port = try cluster[owner].port
    let path = path
    let ages = try concurrently(2) { role -> [Int] in
      guard role == 0 else {
        defer { isOver.store(true, ordering: .releasing) }
        // A node that is cut off serves its State for a moment only, in which a busy machine may read nothing.
        _ = hasRead.first(within: Connection.timeout) { $0 ? () : nil }
        for proxy in cuts { proxy.cut() }
        // Every action succeeds at the node that reaches the database.
        let writer = SessionClient(HTTPClient(port: writing), path)
        let end = Self.now + 8_000
        while Self.now < end {
          let response = try writer.post(#""increase""#)
          let version = response.cursor?.version
          guard response.status == 200, let version else {
            // The owner may have sent the group that it cannot confirm.
            if cut != .database || response.status != 503 {
              failures.withLock { $0.append("\(response.status) \(response.text)") }
            }
            continue
          }
          let now = Self.now
          commits.withLock { $0[version] = now }
        }
        return []
      }
      var ages: [Int] = []
      while !isOver.load(ordering: .acquiring) {
        let start = Self.now
        let client = HTTPClient(port: port)
        guard let response = try? client.send("GET", path + "/state", timeout: .seconds(1)) else {
          continue
        }
        guard response.status == 200, let version = response.cursor?.version else { continue }
        let next = commits.withLock { commits in
          commits.filter { $0.key > version }.values.min()
        }
        // The response was sent after the start of the request.
        ages.append(next.map { max(0, start - $0) } ?? 0)
        if ages.count == 1 { hasRead.change { $0 = true } }
      }
      return ages
    }.flatMap { $0 }
    #expect(failures.withLock { $0 } == [])
    #expect(!ages.isEmpty)
    let oldest = ages.max() ?? 0
    printNow("\(cut): a State is served for at most \(oldest) ms, \(ages.count) responses")
    #expect(oldest <= Self.bound)
    if cut != .others {
      #expect(try eventually { try cluster[owner].client().get("/readyz").status == 503 })
    }
    for proxy in cuts { proxy.mend() }
    try cluster.waitUntilReady(2)
    let last = try session(other).state()
    #expect(try eventually { try session(owner).state().text == last.text })
    // The other node can have responded for this one, which connects to the database again meanwhile.
    #expect(try eventually { try cluster[owner].client().get("/readyz").status == 200 })
  }

  @Test func `a peer that accepts and never responds delays a request, and fails none`() throws {
    for id in 0..<8 {
      #expect(try cluster.clients(of: "counter", "s\(id)")[0].post(#""increase""#).status == 200)
    }
    // Each request to another node arrives nowhere, also on new connections.
    for link in network.links { link.cut() }
    for id in 0..<8 {
      for client in cluster.clients(of: "counter", "s\(id)") {
        let response = try client.post(#""increase""#)
        #expect(response.status == 200, "\(response.text)")
      }
    }
    for link in network.links { link.mend() }
    for id in 0..<8 {
      for client in cluster.clients(of: "counter", "s\(id)") {
        #expect(try eventually { try client.state().json == ["value": 3] })
      }
    }
  }
}
