package import ReactorLog

/// The other nodes of a cluster, as this node sees them.
///
/// ```
///            heartbeat                no heartbeat for `suspect`,
/// (unknown) ───────────▶ alive ──────  "no such node", a newer      ─────▶ failed
///                       joining        incarnation of the name, or left
///                       ready
///                       draining
/// ```
///
/// A failed incarnation never returns: its heartbeats are reported as `Reception.expelled`, and the
/// process has to join with another one.
package struct Membership: Sendable {
  /// A node that is alive.
  package struct Member: Sendable {
    /// The last heartbeat of the node.
    package var heartbeat: Heartbeat

    /// The time at which ``heartbeat`` arrived.
    package var heardAt: Milliseconds

    /// Whether the node was probed since ``heardAt``.
    var isProbed = false
  }

  /// The effect of a heartbeat.
  package enum Reception: Equatable, Sendable {
    /// The node was alive, and nothing has changed.
    case known

    /// The node is new, or its heartbeat has changed. `replaced` is the previous incarnation of the
    /// name, if this heartbeat replaces one.
    case changed(replaced: NodeID?)

    /// The incarnation was marked as failed.
    case expelled

    /// The node has left.
    case left

    /// The node supports no version of the protocol that this node supports.
    case incompatible
  }

  /// The maximum number of failed incarnations that are remembered; the oldest ones are dropped.
  package static let failedLimit = 256

  /// The maximum number of nodes.
  ///
  /// Heartbeats of further nodes are ignored.
  package static let limit = 64

  /// The nodes that are alive, without this one.
  package private(set) var members: [NodeID: Member] = [:]

  private var failed: [NodeID] = []
  private let suspect: Milliseconds

  /// Creates a membership of this node only.
  ///
  /// - Parameter suspect: The time without a heartbeat after which a node counts as failed.
  package init(suspect: Milliseconds) {
    self.suspect = suspect
  }

  /// Records a heartbeat.
  package mutating func receive(_ heartbeat: Heartbeat, at now: Milliseconds) -> Reception {
    let node = heartbeat.node
    guard heartbeat.protocols.overlaps(NodeProtocol.supported) else { return .incompatible }
    guard !failed.contains(node) else { return .expelled }
    guard heartbeat.state != .left else {
      return fail(node) ? .left : .expelled
    }
    let known = members[node]?.heartbeat
    if known == nil, members.count >= Self.limit { return .known }
    // One heartbeat may overtake another; the state of an incarnation only advances.
    var latest = heartbeat
    if let known, heartbeat.state.rawValue < known.state.rawValue { latest = known }
    members[node] = Member(heartbeat: latest, heardAt: now)
    guard known != latest else { return .known }
    let previous = known == nil ? members.keys.first { $0.name == node.name && $0 != node } : nil
    if let previous { _ = fail(previous) }
    return .changed(replaced: previous)
  }

  /// Marks a node as failed.
  ///
  /// - Returns: Whether it was alive.
  package mutating func fail(_ node: NodeID) -> Bool {
    let wasAlive = members.removeValue(forKey: node) != nil
    guard !failed.contains(node) else { return wasAlive }
    failed.append(node)
    if failed.count > Self.failedLimit { failed.removeFirst() }
    return wasAlive
  }

  /// Marks as failed the nodes whose last heartbeat is at least `suspect` old.
  ///
  /// - Returns: The nodes that were marked.
  package mutating func expire(at now: Milliseconds) -> [NodeID] {
    let silent = members.filter { now - $0.value.heardAt >= suspect }.map(\.key)
    for node in silent { _ = fail(node) }
    return silent.sorted { $0.description < $1.description }
  }

  /// Selects the nodes to probe: those whose last heartbeat is at least `time` old, and which were
  /// not selected since that heartbeat.
  package mutating func selectSilent(for time: Milliseconds, at now: Milliseconds) -> [NodeID] {
    let silent = members.filter { !$0.value.isProbed && now - $0.value.heardAt >= time }.keys
    for node in silent { members[node]?.isProbed = true }
    return silent.sorted { $0.description < $1.description }
  }

  /// Forgets all nodes, because this node joins again with another incarnation: its earlier
  /// observations may be the result of its own absence.
  package mutating func reset() {
    members = [:]
    failed = []
  }

  /// The time at which `expire(at:)` has an effect if no heartbeat arrives.
  package var nextExpiry: Milliseconds? {
    members.values.map { $0.heardAt + suspect }.min()
  }

  /// Returns whether a node is alive.
  package func isAlive(_ node: NodeID) -> Bool {
    members[node] != nil
  }

  /// Returns the living incarnation of a name.
  package func living(_ name: String) -> NodeID? {
    members.keys.first { $0.name == name }
  }
}
