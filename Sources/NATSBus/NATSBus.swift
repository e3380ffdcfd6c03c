internal import Dispatch
public import NATSClient
public import ReactorCluster
public import ReactorLog
internal import Synchronization

/// The bus of a cluster over NATS: subjects below `PREFIX.b`, without JetStream.
///
/// A node needs no port or address of its own, and the brokers report at once that a node is gone.
/// Its connection is another one than that of the log, so that a burst of messages does not delay
/// acknowledgements. Bytes beyond `max_payload` of the brokers are not sent: a request times out.
public final class NATSBus: ClusterBus {
  private struct Pending {
    let deadline: ContinuousClock.Instant
    let completion: @Sendable (Result<[UInt8], BusError>) -> Void
  }

  private struct State {
    var pending: [UInt64: Pending] = [:]
    var node: NodeID?
    var subscriptions: [NATSSubscription] = []
    var isTicking = false
  }

  /// The time between two looks at the deadlines.
  private static let tick = Duration.milliseconds(20)
  /// The number of received messages that may wait for a lane's handler.
  private static let bound = 65_536

  private let connection: NATSConnection
  private let names: BusNames
  private let quorum: @Sendable () -> Bool
  private let replies: NATSReplies
  private let shared: Shared
  private let queue = DispatchQueue(label: "nats-bus")

  /// The part that the callbacks retain.
  private final class Shared: Sendable {
    let state = Mutex(State())

    func take(_ number: UInt64) -> Pending? {
      state.withLock { $0.pending.removeValue(forKey: number) }
    }
  }

  /// Creates a bus.
  ///
  /// - Parameters:
  ///   - connection: A connection of its own.
  ///   - prefix: `cluster.name`.
  ///   - incarnation: The incarnation of this process, which names the subjects of its replies.
  ///   - quorum: Whether the brokers confirm writes of this process.
  /// - Throws: If the connection is closed.
  public init(
    _ connection: NATSConnection, prefix: String, incarnation: UInt64,
    quorum: @escaping @Sendable () -> Bool
  ) throws(NATSError) {
    self.connection = connection
    self.quorum = quorum
    names = BusNames(prefix: prefix)
    let shared = Shared()
    self.shared = shared
    replies = try NATSReplies(connection, prefix: names.replies(of: incarnation)) { number, reply in
      guard let pending = shared.take(number) else { return }
      pending.completion(
        reply.isWithoutResponders ? .failure(.noSuchNode) : .success(reply.payload))
    }
  }

  /// Whether the brokers confirm writes of this process.
  ///
  /// An interruption of the connection has no effect at first: requests are sent after the reconnection.
  public var hasQuorum: Bool { quorum() }

  /// Receives requests and messages for a node from now on.
  public func join(as node: NodeID, _ handler: any BusHandler) {
    let connection = connection
    var subscriptions: [NATSSubscription?] = []
    subscriptions.append(
      try? connection.subscribe(to: names.requests(of: node), bound: Self.bound) { message in
        guard let reply = message.reply else { return }
        handler.didReceive(request: message.payload) { [weak connection] bytes in
          try? connection?.publish(bytes, to: reply)
        }
      })
    for lane in 0..<Self.lanes {
      subscriptions.append(
        try? connection.subscribe(to: names.messages(of: node, lane: lane), bound: Self.bound) {
          handler.didReceive(message: $0.payload)
        })
    }
    let own = names.broadcasts(of: node)
    subscriptions.append(
      try? connection.subscribe(to: names.allBroadcasts, bound: Self.bound) { message in
        if message.subject != own { handler.didReceive(message: message.payload) }
      })
    replace(node, subscriptions.compactMap { $0 })
  }

  /// Receives nothing any more.
  public func leave() { replace(nil, []) }

  /// Replaces the subscriptions, and waits until the brokers know it: from then on they report that the
  /// previous incarnation is gone, and other nodes may learn of the new one.
  private func replace(_ node: NodeID?, _ subscriptions: [NATSSubscription]) {
    var previous = shared.state.withLock { state in
      defer { (state.node, state.subscriptions) = (node, subscriptions) }
      return state.subscriptions
    }
    previous.removeAll()
    try? connection.flush()
  }

  /// Sends a request to a node.
  public func request(
    _ bytes: [UInt8], to node: NodeID, within timeout: Duration,
    completion: @escaping @Sendable (Result<[UInt8], BusError>) -> Void
  ) {
    let number = replies.nextNumber()
    let startsTicking = shared.state.withLock { state in
      state.pending[number] = Pending(deadline: .now + timeout, completion: completion)
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if startsTicking { tick() }
    try? connection.publish(
      bytes, to: names.requests(of: node), reply: replies.subject(of: number))
  }

  /// Ends the requests whose time has passed, as long as there are requests.
  private func tick() {
    let seconds = Self.tick / .seconds(1)
    queue.asyncAfter(deadline: .now() + seconds) { [weak self, shared] in
      let now = ContinuousClock.now
      let (late, isIdle) = shared.state.withLock { state in
        let late = state.pending.filter { $0.value.deadline <= now }
        for number in late.keys { state.pending[number] = nil }
        state.isTicking = !state.pending.isEmpty
        return (late, state.pending.isEmpty)
      }
      for pending in late.values { pending.completion(.failure(.timedOut)) }
      if !isIdle { self?.tick() }
    }
  }

  /// Sends a message to a node, at most once and in order per lane.
  public func send(_ bytes: [UInt8], to node: NodeID, lane: Int) {
    try? connection.publish(bytes, to: names.messages(of: node, lane: lane))
  }

  /// Sends a message to all other nodes, at most once.
  public func broadcast(_ bytes: [UInt8]) {
    guard let node = shared.state.withLock({ $0.node }) else { return }
    try? connection.publish(bytes, to: names.broadcasts(of: node))
  }
}
