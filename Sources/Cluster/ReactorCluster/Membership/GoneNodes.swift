package import ReactorLog

/// The nodes that failed or left in the last hour, for operators.
package struct GoneNodes: Sendable {
  /// A node that is gone.
  package struct Entry: Equatable, Sendable {
    /// The name of the node.
    package let name: String

    /// When this node noticed it.
    package let since: Timestamp
  }

  /// The milliseconds after which a node is forgotten.
  static let retention: Int64 = 3_600_000

  /// In the order of their times, at most ``Membership/limit``.
  private var all: [Entry] = []

  /// Creates an empty list.
  package init() {}

  /// Adds a node; the oldest entry is dropped if there are too many.
  package mutating func add(_ name: String, at time: Timestamp) {
    all.removeAll { $0.name == name }
    if all.count == Membership.limit { all.removeFirst() }
    all.append(Entry(name: name, since: time))
  }

  /// Returns the nodes that are gone at a time, in the order of their names.
  ///
  /// - Parameters:
  ///   - time: The current time.
  ///   - living: The names of the nodes that are alive.
  /// - Returns: The nodes.
  package func entries(at time: Timestamp, without living: [String]) -> [Entry] {
    all.filter {
      time.milliseconds(since: $0.since) < Self.retention && !living.contains($0.name)
    }.sorted { $0.name < $1.name }
  }
}
