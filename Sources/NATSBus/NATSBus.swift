internal import Dispatch
public import NATSClient
public import ReactorCluster
public import ReactorLog
internal import Synchronization

/// The bus of a cluster over NATS: subjects below `PREFIX.b`, without JetStream.
///
/// A node needs no port or address of its own, and the brokers report immediately that a node is
/// gone. The bus does not share the connection of the log, so that a burst of messages does not
/// delay acknowledgements. A message that exceeds `max_payload` of the brokers is not sent: its
/// requests time out.
///
/// Requests and replies between two busy nodes share messages, see ``Outbox``.
public final class NATSBus: ClusterBus {
  private struct Pending {
    let outbox: Outbox
    /// The numbers of the other requests of the same message.
    ///
    /// Only the last request has them, because the brokers report under its number that nothing
    /// receives the message.
    var others: ArraySlice<UInt64> = []
    let start: ContinuousClock.Instant
    let deadline: ContinuousClock.Instant
    let completion: @Sendable (Result<[UInt8], BusError>) -> Void
  }

  private struct State {
    var pending: [UInt64: Pending] = [:]
    var node: NodeID?
    var subscriptions: [NATSSubscription] = []
    var isTicking = false
  }

  /// The time between two checks of the deadlines.
  private static let tick = Duration.milliseconds(20)
  /// The maximum number of received messages that wait for the handler, per subscription.
  private static let bound = 65_536

  private let connection: NATSConnection
  private let names: BusNames
  private let quorum: @Sendable () -> Bool
  private let replies: NATSReplies
  private let thread: OutboxThread
  private let requests = Outboxes<NodeID>()
  private let shared: Shared
  private let queue = DispatchQueue(label: "nats-bus")

  /// The part that the callbacks retain.
  private final class Shared: Sendable {
    let state = Mutex(State())

    func take(_ number: UInt64) -> Pending? {
      let pending = state.withLock { $0.pending.removeValue(forKey: number) }
      if let pending { pending.outbox.end(since: pending.start) }
      return pending
    }

    func didReceive(_ reply: NATSMessage, to number: UInt64) {
      guard number != BusNames.packetNumber else {
        for (number, bytes) in BusPacket.contents(of: reply.payload) {
          take(number)?.completion(.success(bytes))
        }
        return
      }
      guard reply.isWithoutResponders, let last = take(number) else { return }
      for other in last.others { take(other)?.completion(.failure(.noSuchNode)) }
      last.completion(.failure(.noSuchNode))
    }

    /// Returns the number in the reply subject of a packet: that of its last request.
    ///
    /// The brokers report under this number that nothing receives the packet.
    func willPublish(_ packet: BusPacket) -> UInt64? {
      guard let last = packet.numbers.last else { return nil }
      if packet.numbers.count > 1 {
        state.withLock { $0.pending[last]?.others = packet.numbers.dropLast() }
      }
      return last
    }
  }

  /// Creates a bus.
  ///
  /// - Parameters:
  ///   - connection: A connection that only the bus uses.
  ///   - prefix: `cluster.name`.
  ///   - incarnation: The incarnation of this process, which names the subjects of its replies.
  ///   - quorum: Whether the brokers confirm writes of this process.
  /// - Throws: If the connection is closed, or the system cannot create a thread.
  public init(
    _ connection: NATSConnection, prefix: String, incarnation: UInt64,
    quorum: @escaping @Sendable () -> Bool
  ) throws(NATSError) {
    self.connection = connection
    self.quorum = quorum
    names = BusNames(prefix: prefix)
    let shared = Shared()
    self.shared = shared
    guard let thread = OutboxThread() else {
      throw NATSError(.failed, "no thread can be started")
    }
    self.thread = thread
    do throws(NATSError) {
      replies = try NATSReplies(connection, prefix: names.replies(of: incarnation)) {
        shared.didReceive($1, to: $0)
      }
    } catch {
      thread.close()
      throw error
    }
  }

  deinit { thread.close() }

  /// Whether the brokers confirm writes of this process.
  ///
  /// It remains true for some time after the connection was interrupted: requests are sent after
  /// the reconnection.
  public var hasQuorum: Bool { quorum() }

  /// Receives requests and messages for a node from now on.
  public func join(as node: NodeID, _ handler: any BusHandler) {
    var subscriptions: [NATSSubscription?] = []
    subscriptions.append(
      try? connection.subscribe(
        to: names.requests(of: node), bound: Self.bound, receiver(for: handler)))
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

  /// Receives packets of requests.
  private func receiver(for handler: any BusHandler) -> @Sendable (NATSMessage) -> Void {
    let outboxes = Outboxes<String>()
    return { [weak connection, thread] message in
      guard let subject = message.reply.flatMap({ BusNames.packets(besides: $0) }) else { return }
      let outbox = outboxes.outbox(subject) {
        Outbox(schedule: thread.schedule) { [weak connection] packet in
          try? connection?.publish(packet.bytes, to: subject)
        }
      }
      // Register all requests before the first one is handled, so that their replies share a
      // message.
      let received = BusPacket.contents(of: message.payload).map {
        (ReceivedRequest($0.number, repliesIn: outbox), $0.bytes)
      }
      for (request, bytes) in received {
        handler.didReceive(request: bytes) { request.reply($0) }
      }
    }
  }

  /// Ends the subscriptions of the node.
  public func leave() { replace(nil, []) }

  /// Replaces the subscriptions, and waits until the brokers have processed the change.
  ///
  /// From then on, the brokers report that the previous incarnation is gone, and the next one can
  /// be announced to other nodes.
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
    let outbox = requests.outbox(node) { makeOutbox(to: names.requests(of: node)) }
    outbox.begin()
    let start = ContinuousClock.now
    let startsTicking = shared.state.withLock { state in
      state.pending[number] = Pending(
        outbox: outbox, start: start, deadline: start + timeout, completion: completion)
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if startsTicking { tick() }
    outbox.send(bytes, numbered: number)
  }

  private func makeOutbox(to subject: String) -> Outbox {
    Outbox(schedule: thread.schedule) { [weak connection, weak shared, weak replies] packet in
      guard let replies, let number = shared?.willPublish(packet) else { return }
      try? connection?.publish(packet.bytes, to: subject, reply: replies.subject(of: number))
    }
  }

  /// Checks the deadlines while there are requests, and fails those that have expired.
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
      for pending in late.values {
        pending.outbox.end(since: pending.start)
        pending.completion(.failure(.timedOut))
      }
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
