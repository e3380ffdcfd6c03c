package import ReactorLog

/// Heartbeats and failures.
extension ClusterMachine {
  /// A heartbeat arrived.
  package mutating func received(_ heartbeat: Heartbeat, at now: Milliseconds) {
    guard heartbeat.node != node else { return }
    guard heartbeat.node.name != node.name || state == .left else {
      // Another process has the name of this node, or this heartbeat is of an earlier incarnation.
      return
    }
    switch membership.receive(heartbeat, at: now) {
    case .known: didReach(heartbeat.node, at: now)
    case .incompatible: break
    case .expelled: didHearExpelled(heartbeat)
    case .left: didFail(heartbeat.node, at: now)
    case .changed(let replaced):
      if let replaced { didFail(replaced, at: now) }
      didReach(heartbeat.node, at: now)
      // Send a heartbeat to a new node immediately, so that it does not wait for the next
      // broadcast.
      if heartbeat.state == .joining { emit(.greet(heartbeat.node, currentHeartbeat)) }
      emit(.placementChanged)
    }
  }

  /// A heartbeat arrived from a node that this one has marked as failed: that node must join again
  /// with another incarnation.
  ///
  /// If this node has marked all others as failed, it was cut off itself, and joins again.
  private mutating func didHearExpelled(_ heartbeat: Heartbeat) {
    guard heartbeat.state != .left else { return }
    membership.members.isEmpty ? beginRejoin() : emit(.expel(heartbeat.node))
  }

  /// Another node has marked an incarnation of this node as failed.
  package mutating func expelled(_ incarnation: NodeID) {
    guard incarnation == node, state != .left else { return }
    beginRejoin()
  }

  /// A node has failed: repeats the requests to it at other owners, in the order of the calls.
  mutating func didFail(_ failed: NodeID, at now: Milliseconds) {
    // The calls that the bus has reported as not delivered.
    let undelivered = Set(unreachable.removeValue(forKey: failed)?.calls ?? [])
    heardAt[failed] = nil
    hints.removeAll(naming: failed)
    handedOver.removeAll(naming: failed)
    emit(.nodeFailed(failed))
    emit(.placementChanged)
    let lost = calls.filter { $0.value.node == failed }.keys.sorted()
    for id in lost { didLose(id, isDelivered: !undelivered.contains(id), at: now) }
  }

  private mutating func didLose(_ id: CallID, isDelivered: Bool, at now: Milliseconds) {
    guard let (call, _) = calls.removeValue(forKey: id) else { return }
    switch call {
    case .probe, .locate: break
    // A failed node cannot serve a stale value: it counts as confirmed.
    case .global(let token): didApply(token, isConfirmed: true)
    case .release(let key): grant(key, at: now)
    case .forward(let count):
      // If this delivery did not arrive, an earlier delivery to the same owner may have arrived.
      let mayBeExecuted = isDelivered || pending[count]?.mayBeExecuted ?? false
      ownerFailed(count, mayBeExecuted: mayBeExecuted, at: now)
    }
  }

  /// The ready nodes, this one included.
  package var readyNodes: [NodeID] {
    var nodes = membership.members.values.filter { $0.heartbeat.state == .ready }.map(
      \.heartbeat.node)
    if state == .ready { nodes.append(node) }
    return nodes
  }

  /// Returns whether a node is this one or another living one.
  package func isAlive(_ other: NodeID) -> Bool {
    other == node || membership.isAlive(other)
  }

  /// Returns the presumed owner of a session: the hinted one, this node if it is about to load the
  /// session, or the one that placement selects, or `nil` if no node is ready.
  ///
  /// If no node is ready, a draining node still owns the sessions of its clients.
  package func owner(of key: SessionKey, at now: Milliseconds) -> NodeID? {
    if let hint = hints.owner(of: key, at: now), isAlive(hint) { return hint }
    if acquisitions[key] != nil || busy[key] != nil { return node }
    return Placement.owner(of: key, among: readyNodes) ?? (state == .draining ? node : nil)
  }
}
