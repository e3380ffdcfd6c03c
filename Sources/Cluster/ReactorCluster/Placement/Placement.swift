package import ReactorLog

/// Selects the owner of a session by rendezvous hashing: each node computes the same one from the same
/// nodes, and a node that joins or fails moves 1/n of the sessions.
package enum Placement {
  /// Returns the node with the highest hash for a session, or `nil` without nodes.
  ///
  /// The incarnation does not count, so that a restart moves no session.
  package static func owner(
    of key: SessionKey, among nodes: some Sequence<NodeID>
  ) -> NodeID? {
    let session = hash(key)
    return nodes.max { weight(of: $0, session) < weight(of: $1, session) }
  }

  /// Returns whether a node is preferred to another one if both have taken a session over at the
  /// same time.
  ///
  /// The result depends only on the session and the two names, and not on the nodes that either of
  /// them has found.
  static func prefers(_ node: NodeID, to other: NodeID, for key: SessionKey) -> Bool {
    let session = hash(key)
    let (own, others) = (weight(of: node, session), weight(of: other, session))
    return own == others ? node.name > other.name : own > others
  }

  /// Returns the hash of a session, which is equal on all nodes and in all releases.
  package static func hash(_ key: SessionKey) -> UInt64 {
    var hash = FNV()
    hash.combine(key.reactor)
    hash.combine("/")
    hash.combine(key.id)
    return hash.value
  }

  private static func weight(of node: NodeID, _ session: UInt64) -> UInt64 {
    var hash = FNV()
    hash.combine(node.name)
    return mixed(hash.value ^ session)
  }

  /// The finalizer of SplitMix64: a change of one input bit changes half of the output bits on
  /// average.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var value = value
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

/// The hash of Fowler, Noll and Vo (FNV-1a), with 64 bits.
struct FNV {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func combine(_ text: String) {
    for byte in text.utf8 { combine(byte) }
  }

  mutating func combine(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
