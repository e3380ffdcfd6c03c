import ReactorCluster
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
}
