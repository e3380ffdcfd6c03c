public import ReactorLog

/// The readiness of a node.
public enum NodeState: UInt8, Sendable, Equatable {
  /// It waits for the heartbeats of the other nodes, and owns no sessions yet.
  case joining

  /// It owns sessions.
  case ready

  /// It hands its sessions over, because it is about to stop.
  case draining

  /// It has stopped.
  case left
}

/// The broadcast of a node, one per `cluster.heartbeat`.
public struct Heartbeat: Equatable, Sendable {
  /// The sender.
  public var node: NodeID

  /// Its readiness.
  public var state: NodeState

  /// The versions of the node protocol that it supports.
  public var protocols: ClosedRange<UInt8>

  /// A hash of the settings that must be equal on all nodes.
  public var configuration: UInt64

  /// A hash of the fingerprints of each hosted reactor, by name.
  public var fingerprints: [String: UInt64]

  /// Creates a heartbeat.
  public init(
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
public enum NodeProtocol {
  /// The versions that this release reads and writes.
  public static let supported: ClosedRange<UInt8> = 1...1
}

/// Milliseconds of a monotonic clock.
///
/// Clocks of different nodes are not compared.
public typealias Milliseconds = Int64
