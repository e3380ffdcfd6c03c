package import ReactorLog

/// The readiness of a node.
package enum NodeState: UInt8, Sendable, Equatable {
  /// The node waits for the heartbeats of the other nodes, and owns no sessions yet.
  case joining

  /// The node owns sessions.
  case ready

  /// The node hands its sessions over, because it is about to stop.
  case draining

  /// The node has stopped.
  case left
}

/// The message that a node broadcasts at the interval ``ClusterSettings/heartbeat``.
package struct Heartbeat: Equatable, Sendable {
  /// The sender.
  package var node: NodeID

  /// The readiness of the sender.
  package var state: NodeState

  /// The versions of the node protocol that the sender supports.
  package var protocols: ClosedRange<UInt8>

  /// A hash of the settings that must be equal on all nodes.
  package var configuration: UInt64

  /// A hash of the fingerprint of each hosted reactor, by the reactor's name.
  package var fingerprints: [String: UInt64]

  /// Creates a heartbeat.
  package init(
    node: NodeID, state: NodeState, protocols: ClosedRange<UInt8> = NodeProtocol.supported,
    configuration: UInt64 = 0, fingerprints: [String: UInt64] = [:]
  ) {
    self.node = node
    self.state = state
    self.protocols = protocols
    self.configuration = configuration
    self.fingerprints = fingerprints
  }
}

/// The versions of the messages between nodes.
package enum NodeProtocol {
  /// The versions that this release reads and writes.
  package static let supported: ClosedRange<UInt8> = 2...2
}

/// Milliseconds of a monotonic clock.
///
/// Clocks of different nodes are not compared.
package typealias Milliseconds = Int64
