package import ReactorLog

/// The decisions of one node: membership, placement, routing and ownership.
///
/// A value without a clock, network or threads. Events are method calls with the time of a
/// monotonic clock; the resulting effects accumulate until `takeEffects()`, and must be executed
/// in order.
///
/// The machine has no list of the sessions that this node owns: a node owns the sessions in its
/// host's memory, and the caller passes with each request whether its session is in memory. The log
/// rejects the writes of a stale owner, so a wrong decision of the machine does not damage the
/// data.
package struct ClusterMachine: Sendable {
  /// A request of this node's clients without a response.
  struct Pending {
    var request: ForwardedRequest
    let token: RequestToken
    let startedAt: Milliseconds
    /// The node that has the request, or `nil` while it waits for ``retryAt``.
    var target: NodeID?
    var call: CallID?
    /// The time of the last delivery.
    var sentAt: Milliseconds = 0
    /// The time of the next query to its target.
    var nextProbe: Milliseconds = 0
    /// Whether its target was probed since the last delivery.
    var isProbed = false
    var retryAt: Milliseconds?
    var hops = 0
    var failedOwners = 0
    /// The nodes whose releases cannot read the session.
    var unreadableAt: Set<NodeID> = []
    /// Whether a delivery without a reply may have been executed.
    var mayBeExecuted = false
  }

  /// A request that waits for the reply of another node.
  enum Call {
    case forward(UInt64)
    case release(SessionKey)
    case global(ChangeToken)
    case probe
    /// The deliveries of requests without a reply, by the counts of the requests.
    case locate([UInt64: CallID])
  }

  /// A request that this node executes.
  struct Execution {
    var request: ForwardedRequest
    var replies: [Arrival.Source]
    var attempts = 0
  }

  /// This node.
  package internal(set) var node: NodeID

  /// The readiness of this node.
  package internal(set) var state = NodeState.joining

  /// The other nodes.
  package internal(set) var membership: Membership

  var settings: ClusterSettings
  var hints = HintTable()
  /// The next owners of the sessions that this node has handed over, see `ClusterEffect.handOver(_:_:)`.
  var handedOver = HintTable()
  var pending: [UInt64: Pending] = [:]
  var calls: [CallID: (call: Call, node: NodeID)] = [:]
  var acquisitions: [SessionKey: Acquisition] = [:]
  var executions: [ExecutionID: Execution] = [:]
  var executing: [RequestNumber: ExecutionID] = [:]
  /// The number of executions per session.
  var busy: [SessionKey: Int] = [:]
  /// The living nodes that the bus does not reach.
  var unreachable: [NodeID: Unreachable] = [:]
  /// The times of the last replies and heartbeats of the living nodes.
  var heardAt: [NodeID: Milliseconds] = [:]
  /// The globals that this node has set, until the other nodes have applied them.
  var changes: [ChangeToken: PendingChange] = [:]
  private(set) var effects: [ClusterEffect] = []
  private var lastID: UInt64 = 0
  private var heartbeat: Heartbeat
  private var nextHeartbeat: Milliseconds
  private var nextRefresh: Milliseconds
  private var readyAt: Milliseconds
  private var lastTick: Milliseconds
  private var isRejoining = false
  /// The time from which a draining node also hands over sessions in use.
  var forcesReleaseAt: Milliseconds = 0

  /// Creates a node that is about to join.
  package init(_ heartbeat: Heartbeat, settings: ClusterSettings, at now: Milliseconds) {
    node = heartbeat.node
    self.heartbeat = heartbeat
    self.settings = settings
    membership = Membership(suspect: settings.suspect)
    nextHeartbeat = now
    nextRefresh = now + settings.refresh
    lastTick = now
    readyAt = now + settings.joining
  }

  /// Returns the instructions since the last call, in order.
  package mutating func takeEffects() -> [ClusterEffect] {
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }

  mutating func emit(_ effect: ClusterEffect) {
    effects.append(effect)
  }

  mutating func newID() -> UInt64 {
    lastID += 1
    return lastID
  }

  // MARK: Time

  /// The time of the next ``tick(at:)`` that has an effect.
  package var nextDeadline: Milliseconds {
    var next = min(nextHeartbeat, nextRefresh, membership.nextExpiry ?? .max)
    next = min(next, nextConfirmation ?? .max, nextSilence ?? .max)
    for request in pending.values { next = min(next, deadline(of: request)) }
    return next
  }

  private func deadline(of request: Pending) -> Milliseconds {
    let end = request.startedAt + settings.requestLimit
    if let retry = request.retryAt { return min(end, retry) }
    guard request.target != node else { return end }
    return min(end, request.nextProbe)
  }

  /// Processes all deadlines that have passed.
  ///
  /// A node whose process was paused for `cluster.suspect` joins again, since the others have
  /// marked it as failed.
  package mutating func tick(at now: Milliseconds) {
    if now - lastTick >= settings.suspect, !membership.members.isEmpty {
      lastTick = now
      return beginRejoin()
    }
    lastTick = now
    if state == .joining, now >= readyAt {
      set(.ready, at: now)
      // Read the globals now: the other nodes may have set some before they knew this one.
      nextRefresh = now
    }
    if now >= nextRefresh {
      nextRefresh = now + settings.refresh
      emit(.refreshGlobals)
    }
    if now >= nextHeartbeat {
      nextHeartbeat = now + settings.heartbeat
      emit(.broadcast(currentHeartbeat))
    }
    for silent in membership.expire(at: now) { didFail(silent, at: now) }
    // The probe detects a killed process before `cluster.suspect` has passed: the bus does not
    // deliver it.
    for silent in membership.selectSilent(for: 2 * settings.heartbeat, at: now) {
      call(.probe, .probe, silent, timeout: settings.suspect)
    }
    confirmUnreachable(at: now)
    // In ascending order, so that a session's requests keep their order.
    var overdue: [NodeID: [UInt64]] = [:]
    for count in pending.filter({ deadline(of: $0.value) <= now }).keys.sorted() {
      if let target = attend(to: count, at: now) { overdue[target, default: []].append(count) }
    }
    for (target, counts) in overdue.sorted(by: { $0.key.description < $1.key.description }) {
      locate(counts, at: target)
    }
    probeSilent(at: now)
  }

  /// Ends or routes a request.
  ///
  /// - Returns: The node to query, if the request is overdue there.
  private mutating func attend(to count: UInt64, at now: Milliseconds) -> NodeID? {
    guard let request = pending[count] else { return nil }
    if now - request.startedAt >= settings.requestLimit {
      expire(count)
    } else if request.retryAt != nil {
      route(count, at: now)
    } else if let target = request.target, target != node {
      // The interval doubles with each query, since an effect may take long.
      pending[count]?.nextProbe = now + max(now - request.sentAt, settings.probe)
      pending[count]?.isProbed = true
      return target
    }
    return nil
  }

  // MARK: Readiness

  /// The heartbeat of this node.
  package var currentHeartbeat: Heartbeat {
    var heartbeat = heartbeat
    heartbeat.node = node
    heartbeat.state = state
    return heartbeat
  }

  /// Sets the hashes of the hosted reactors' fingerprints.
  package mutating func setFingerprints(_ fingerprints: [String: UInt64]) {
    heartbeat.fingerprints = fingerprints
  }

  /// Sets the hash of the settings that must be equal on all nodes.
  package mutating func setConfiguration(_ hash: UInt64) {
    heartbeat.configuration = hash
  }

  /// Begins to hand the sessions over, before the process stops.
  package mutating func drain(at now: Milliseconds) {
    forcesReleaseAt = now + settings.handOver
    set(.draining, at: now)
    emit(.broadcast(currentHeartbeat))
  }

  /// Announces that the process is about to exit.
  package mutating func leave() {
    state = .left
    emit(.broadcast(currentHeartbeat))
  }

  /// Whether the node is about to stop, and owns no further sessions.
  var isStopping: Bool { state == .draining || state == .left }

  private mutating func set(_ state: NodeState, at now: Milliseconds) {
    guard self.state != state, self.state != .left else { return }
    self.state = state
    nextHeartbeat = now
    emit(.placementChanged)
  }

  /// Ends this incarnation; ``rejoin(as:at:)`` begins the next one.
  mutating func beginRejoin() {
    guard !isRejoining else { return }
    isRejoining = true
    emit(.rejoin)
  }

  /// Joins with another incarnation, after `ClusterEffect.rejoin`.
  ///
  /// Requests of this node's clients are routed again once the new incarnation is ready.
  package mutating func rejoin(as node: NodeID, at now: Milliseconds) {
    self.node = node
    isRejoining = false
    membership.reset()
    (unreachable, heardAt) = ([:], [:])
    (hints, handedOver) = (HintTable(), HintTable())
    calls = [:]
    abandonChanges()
    acquisitions = [:]  // the edges repeat the requests that wait here
    if state == .ready { state = .joining }
    nextHeartbeat = now
    lastTick = now
    readyAt = now + settings.joining
    for (count, request) in pending where !isExecuting(request.request.number) {
      // The number of an action is unchanged: the log may have it. A call, which may subscribe its
      // edge, is one of the new incarnation.
      if request.request.kind == .call {
        pending[count]?.request.number = RequestNumber(edge: node, count: count)
      }
      pending[count]?.mayBeExecuted = request.mayBeExecuted || request.call != nil
      retry(count, after: settings.joining, at: now)
    }
  }
}
