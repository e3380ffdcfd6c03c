package import ReactorLog

/// The differences between this node and the others that an operator has to remove.
///
/// The cluster works despite them. If settings differ, the response to a request depends on the
/// node that executes it; if reactors differ, a node cannot own all sessions. Differences are
/// expected during a rolling upgrade.
package struct NodeDifferences: Sendable {
  /// A difference.
  package enum Difference: Hashable, Sendable, CustomStringConvertible {
    /// A setting that must be equal on all nodes.
    case settings

    /// A reactor that only one of the two nodes hosts, or whose State or Mutation differs.
    case reactor(String)

    /// Two processes have the same `cluster.node`.
    case name

    /// The difference in words.
    package var description: String {
      switch self {
      case .settings: "the settings"
      case .reactor(let name): "the reactor \(name)"
      case .name: "the name of this node"
      }
    }
  }

  private var found: [NodeID: (differences: Set<Difference>, heardAt: Milliseconds)] = [:]

  /// Creates an empty table.
  package init() {}

  /// The nodes that differ, in the order of their names, with their differences.
  package var all: [(node: NodeID, differences: [String])] {
    found.map { ($0.key, Self.words($0.value.differences)) }
      .sorted { $0.node.description < $1.node.description }
  }

  /// Compares the heartbeat of another node with this node's.
  ///
  /// - Returns: The differences; empty if they are the same as in the previous comparison.
  package mutating func compare(
    _ other: Heartbeat, with own: Heartbeat, at now: Milliseconds
  ) -> [String] {
    let differences = other.state == .left ? [] : Self.differences(other, own)
    let isKnown = found[other.node]?.differences == differences
    found[other.node] = differences.isEmpty ? nil : (differences, now)
    return isKnown ? [] : Self.words(differences)
  }

  /// Removes the nodes without a heartbeat since a time; one with the name of this node is no member that could
  /// fail.
  package mutating func expire(before time: Milliseconds) {
    guard !found.isEmpty else { return }
    found = found.filter { $0.value.heardAt >= time }
  }

  private static func differences(_ other: Heartbeat, _ own: Heartbeat) -> Set<Difference> {
    var differences: Set<Difference> = []
    if other.node.name == own.node.name { differences.insert(.name) }
    if other.configuration != own.configuration { differences.insert(.settings) }
    let names = Set(other.fingerprints.keys).union(own.fingerprints.keys)
    for name in names where other.fingerprints[name] != own.fingerprints[name] {
      differences.insert(.reactor(name))
    }
    return differences
  }

  private static func words(_ differences: Set<Difference>) -> [String] {
    differences.map(\.description).sorted()
  }
}
