import Dispatch
import ReactorLog
import Synchronization

@testable import ReactorCluster

/// The buses of several nodes in one process.
final class MemoryNetwork: Sendable {
  private struct Receiver {
    let bus: MemoryBus
    let handler: any BusHandler
    /// The queue of requests, and one queue per lane.
    let queues: [DispatchQueue]
  }

  private let receivers = Mutex<[NodeID: Receiver]>([:])

  fileprivate func add(_ node: NodeID, _ bus: MemoryBus, _ handler: any BusHandler) {
    let queues = (0..<5).map { DispatchQueue(label: "\(node) \($0)") }
    receivers.withLock { receivers in
      receivers = receivers.filter { $0.value.bus !== bus }
      receivers[node] = Receiver(bus: bus, handler: handler, queues: queues)
    }
  }

  fileprivate func remove(_ bus: MemoryBus) {
    receivers.withLock { receivers in
      receivers = receivers.filter { $0.value.bus !== bus }
    }
  }

  /// Calls a closure on a queue of a node.
  ///
  /// - Returns: `false` if the node does not exist.
  fileprivate func deliver(
    to node: NodeID, queue: Int, _ body: @escaping @Sendable (any BusHandler) -> Void
  ) -> Bool {
    guard let receiver = receivers.withLock({ $0[node] }), !receiver.bus.isCut else {
      return false
    }
    guard queue != 0 || !receiver.bus.isDeaf else { return true }
    receiver.queues[queue].async { body(receiver.handler) }
    return true
  }

  fileprivate func nodes(without bus: MemoryBus) -> [NodeID] {
    receivers.withLock { $0.filter { $0.value.bus !== bus }.map(\.key) }
  }
}

/// A bus over the queues of one process.
final class MemoryBus: ClusterBus {
  private let network: MemoryNetwork
  private let cut = Atomic<Bool>(false)
  private let deaf = Atomic<Bool>(false)
  private let losing = Mutex<Set<ForwardedRequest.Kind>>([])

  init(_ network: MemoryNetwork) {
    self.network = network
  }

  /// Whether the node neither sends nor receives.
  var isCut: Bool {
    get { cut.load(ordering: .acquiring) }
    set { cut.store(newValue, ordering: .releasing) }
  }

  /// Whether requests to the node are lost without an error.
  var isDeaf: Bool {
    get { deaf.load(ordering: .acquiring) }
    set { deaf.store(newValue, ordering: .releasing) }
  }

  /// Loses the reply to the next request of a kind that this node forwards.
  func loseReply(to kind: ForwardedRequest.Kind) {
    losing.withLock { _ = $0.insert(kind) }
  }

  /// Returns whether the reply to a request is lost.
  private func losesReply(to bytes: [UInt8]) -> Bool {
    guard case .forward(let request)? = NodeRequest.read(bytes)?.request else { return false }
    return losing.withLock { $0.remove(request.kind) != nil }
  }

  func join(as node: NodeID, _ handler: any BusHandler) {
    network.add(node, self, handler)
  }

  func leave() { network.remove(self) }

  func request(
    _ bytes: [UInt8], to node: NodeID, within timeout: Duration,
    completion: @escaping @Sendable (Result<[UInt8], BusError>) -> Void
  ) {
    let once = OnceOnly(completion)
    let isLost = losesReply(to: bytes)
    let isDelivered =
      !isCut
      && network.deliver(to: node, queue: 0) { [self] handler in
        handler.didReceive(request: bytes) { [self] reply in
          guard !isLost else { return }
          DispatchQueue.global().async { [self] in if !isCut { once.call(.success(reply)) } }
        }
      }
    guard isDelivered else {
      return DispatchQueue.global().async { [self] in
        once.call(.failure(isCut ? .timedOut : .noSuchNode))
      }
    }
    Task {
      try? await Task.sleep(for: timeout)
      once.call(.failure(.timedOut))
    }
  }

  func send(_ bytes: [UInt8], to node: NodeID, lane: Int) {
    guard !isCut else { return }
    _ = network.deliver(to: node, queue: 1 + lane) { $0.didReceive(message: bytes) }
  }

  func broadcast(_ bytes: [UInt8]) {
    for node in network.nodes(without: self) { send(bytes, to: node, lane: 0) }
  }

  var hasQuorum: Bool { !isCut }
}

/// A completion that is called once.
private final class OnceOnly: Sendable {
  private let completion: Mutex<(@Sendable (Result<[UInt8], BusError>) -> Void)?>

  init(_ completion: @escaping @Sendable (Result<[UInt8], BusError>) -> Void) {
    self.completion = Mutex(completion)
  }

  func call(_ result: Result<[UInt8], BusError>) {
    completion.withLock { $0.take() }?(result)
  }
}
