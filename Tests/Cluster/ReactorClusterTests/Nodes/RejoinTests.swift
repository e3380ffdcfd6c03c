@testable import ReactorCluster
import ReactorHost
import ReactorLog
import Synchronization
import Testing

/// A node that joins again with another incarnation.
struct RejoinTests {
  /// A bus without other nodes, which is slow to join.
  private final class SlowBus: ClusterBus {
    /// The identity that joined last.
    let joined = Mutex<NodeID?>(nil)
    private let isJoining = Atomic(false)

    /// While it joins, another node reports the new incarnation as expelled.
    func join(as node: NodeID, _ handler: any BusHandler) {
      if !isJoining.exchange(true, ordering: .relaxed) {
        handler.didReceive(message: NodeMessage.expelled(node).bytes)
        isJoining.store(false, ordering: .relaxed)
      }
      joined.withLock { $0 = node }
    }

    func leave() {}

    func request(
      _ bytes: [UInt8], to node: NodeID, within timeout: Duration,
      completion: @escaping @Sendable (Result<[UInt8], BusError>) -> Void
    ) { completion(.failure(.noSuchNode)) }

    func send(_ bytes: [UInt8], to node: NodeID, lane: Int) {}

    func broadcast(_ bytes: [UInt8]) {}

    var hasQuorum: Bool { true }
  }

  @Test func `a node that joins again receives with the incarnation that it announces`() throws {
    let bus = SlowBus()
    let node = ClusterNode(named: "n1", bus: bus, settings: .undetecting)
    let host = Host([], log: WriterLog(WriterLog.Store(), writer: "n1"), router: node)
    for _ in 0..<3 {
      let previous = node.node
      node.didReceive(message: NodeMessage.expelled(previous).bytes)
      #expect(node.node != previous)
      #expect(bus.joined.withLock { $0 } == node.node)
    }
    withExtendedLifetime(host) {}
  }

  private let key = SessionKey(reactor: "counter", id: "demo")

  @Test func `a subscription that a node opens while it joins again ends with its streams`()
    async throws
  {
    let cluster = try await Cluster(settings: .repeating)
    let owner = try cluster.owner(of: key)
    let (edge, third) = (cluster.others(than: owner)[0], cluster.others(than: owner)[1])
    let recorder = Recorder()
    let session = try await edge.host.open(key.id)
    // The owner does not receive the request for the subscription.
    owner.bus.isDeaf = true
    session.changeStreams(of: .anonymous, by: 1)
    _ = session.observe(recorder)
    edge.bus.isCut = true
    owner.bus.isDeaf = false
    // A request of each other node finds no receiver, which marks the incarnation as failed.
    let former = edge.node.node
    for other in [owner, third] { try await other.theme.set("dark") }
    #expect(![owner, third].contains { $0.node.readyNodes.contains(former) })
    edge.bus.isCut = false
    try await wait { cluster.members.allSatisfy { $0.node.readyNodes.count == 3 } }
    // The edge owns the session itself if the heartbeats of the others arrive later than it is ready.
    try await wait { cluster.subscriberCounts(of: key).contains(1) }
    session.changeStreams(of: .anonymous, by: -1)
    session.stopObserving(recorder)
    try await wait { cluster.subscriberCounts(of: key).allSatisfy { $0 == 0 } }
    // A session without subscribed nodes moves to the node that its actions come from.
    var version = 0
    while cluster.holders(of: key) != [third.node.node.name], version < 100_000 {
      version += 1
      #expect(try await third.host.post(#""increase""#, to: key.id).version == version)
    }
    #expect(cluster.holders(of: key) == [third.node.node.name])
  }

  @Test func `a late message of a node that is not subscribed adds no streams`() async throws {
    let cluster = try await Cluster(["n1", "n2"])
    let owner = try cluster.owner(of: key)
    let recorder = Recorder()
    try await recorder.observe(key.id, at: cluster.others(than: owner)[0].host)
    let session = try await owner.host.open(key.id)
    try await wait { session.subscriberCount == 1 }
    let failed = NodeID(name: "n3", incarnation: 1)
    let report = StreamReport(
      subscription: 1, part: 0, streams: [.init(name: nil, count: 5)])
    let message = NodeMessage.streams(key, report, from: failed)
    owner.node.didReceive(message: message.bytes)
    #expect(session.subscriberCount == 1)
  }
}
