import ReactorCluster
import ReactorLinks
import ReactorLog
import Synchronization

/// The processes that the buses of a test have announced.
final class Registry: Sendable {
  fileprivate let nodes = Mutex<[NodeID: String]>([:])

  /// Sets the address of a process, or removes it.
  func set(_ address: String?, of node: NodeID) { nodes.withLock { $0[node] = address } }
}

/// The directory of one process.
final class Directory: NodeDirectory {
  private let registry: Registry
  private let own = Mutex<NodeID?>(nil)

  /// Creates a directory.
  ///
  /// - Parameter registry: The processes of the test.
  init(_ registry: Registry) { self.registry = registry }

  func address(of node: NodeID) -> String? { registry.nodes.withLock { $0[node] } }

  var others: [PresentNode] {
    let own = own.withLock { $0 }
    return registry.nodes.withLock { nodes in
      nodes.filter { $0.key != own }.map { PresentNode($0.key, at: $0.value) }
    }
  }

  var isConfirmed: Bool { true }

  func announce(_ node: NodeID, at address: String) {
    own.withLock { $0 = node }
    registry.set(address, of: node)
  }

  func withdraw() {}

  func refresh() {}
}

/// Records messages and losses, and replies to requests with their bytes reversed.
final class Handler: BusHandler {
  let messages: AsyncStream<[UInt8]>
  let lost: AsyncStream<NodeID>
  private let received: AsyncStream<[UInt8]>.Continuation
  private let losses: AsyncStream<NodeID>.Continuation

  init() {
    (messages, received) = AsyncStream.makeStream()
    (lost, losses) = AsyncStream.makeStream()
  }

  func didReceive(request bytes: [UInt8], reply: @escaping @Sendable ([UInt8]) -> Void) {
    // A request without bytes gets no reply.
    if !bytes.isEmpty { reply(bytes.reversed()) }
  }

  func didReceive(message bytes: [UInt8]) { received.yield(bytes) }

  func didLose(_ node: NodeID) { losses.yield(node) }
}

let secret = Array("a secret of the tests".utf8)

func makeBus(
  _ registry: Registry, cluster: String = "test", at address: String = "127.0.0.1:0",
  secret: [UInt8] = secret
) throws -> LinkBus {
  guard let address = LinkAddress(address) else { throw InvalidAddress() }
  return try LinkBus(
    cluster: cluster, listeningAt: address, secret: secret, directory: Directory(registry))
}

struct InvalidAddress: Error {}

func request(
  _ bytes: [UInt8], to node: NodeID, over bus: LinkBus, within time: Duration = .seconds(600)
) async -> Result<[UInt8], BusError> {
  await withCheckedContinuation { continuation in
    bus.request(bytes, to: node, within: time) { continuation.resume(returning: $0) }
  }
}
