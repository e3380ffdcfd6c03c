package import ReactorLog

/// A message that an owner sends to each subscribed node once per second.
///
/// If the last commit before a pause was lost, no later commit reveals the loss; the digest does.
package struct Digest: Equatable, Sendable {
  /// A session that has changed since the last digest.
  package struct Change: Equatable, Sendable {
    /// The session.
    package let session: SessionKey

    /// The last committed position of the session.
    package let cursor: Cursor

    /// Creates a change.
    package init(session: SessionKey, cursor: Cursor) {
      self.session = session
      self.cursor = cursor
    }
  }

  /// The interval of digests.
  package static let interval: Milliseconds = 1_000

  /// The changed sessions.
  package var changes: [Change]

  /// The exclusive or of the hashes of all subscriptions of the receiver at the sender.
  package var subscriptions: UInt64

  /// Creates a digest.
  package init(changes: [Change], subscriptions: UInt64) {
    self.changes = changes
    self.subscriptions = subscriptions
  }

  /// Returns the hash of a subscription: of the session and the number.
  static func hash(_ key: SessionKey, _ number: UInt64) -> UInt64 {
    (Placement.hash(key) ^ number) &* 0x9E37_79B9_7F4A_7C15
  }
}

/// The subscriptions of other nodes to the sessions of this one.
package struct SubscribedNodes: Sendable {
  /// The maximum number of subscriptions.
  ///
  /// Further ones are rejected.
  package static let limit = 1_000_000

  private struct Node {
    /// The sessions with the numbers of the subscriptions.
    var sessions: [SessionKey: UInt64] = [:]
    var hash: UInt64 = 0
    var changes: [SessionKey: Cursor] = [:]
  }

  private var nodes: [NodeID: Node] = [:]
  private var subscribers: [SessionKey: [NodeID]] = [:]
  /// The number of subscriptions.
  package private(set) var count = 0

  /// Creates an empty table.
  package init() {}

  /// Returns whether a session has a subscribed node.
  package func has(_ key: SessionKey) -> Bool { subscribers[key] != nil }

  /// Returns whether a node is subscribed to a session.
  package func has(_ key: SessionKey, for node: NodeID) -> Bool {
    number(of: key, for: node) != nil
  }

  /// Returns the number of a node's subscription to a session, or `nil` for none.
  package func number(of key: SessionKey, for node: NodeID) -> UInt64? {
    nodes[node]?.sessions[key]
  }

  /// Returns the nodes that are subscribed to a session.
  package func nodes(of key: SessionKey) -> [NodeID] { subscribers[key] ?? [] }

  /// Adds a subscription, or renews it with a larger number.
  ///
  /// - Returns: Whether the node is subscribed: `false` if the limit is reached.
  package mutating func insert(
    _ node: NodeID, to key: SessionKey, as number: UInt64
  ) -> Bool {
    if let known = self.number(of: key, for: node) {
      guard number > known else { return true }
      nodes[node]?.sessions[key] = number
      nodes[node]?.hash ^= Digest.hash(key, known) ^ Digest.hash(key, number)
      return true
    }
    guard count < Self.limit else { return false }
    count += 1
    nodes[node, default: Node()].sessions[key] = number
    nodes[node]?.hash ^= Digest.hash(key, number)
    subscribers[key, default: []].append(node)
    return true
  }

  /// Removes a subscription whose number is at most `number`.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  package mutating func remove(
    _ node: NodeID, from key: SessionKey, upTo number: UInt64 = .max
  ) -> Bool {
    guard let known = self.number(of: key, for: node), known <= number else { return false }
    nodes[node]?.sessions[key] = nil
    count -= 1
    nodes[node]?.hash ^= Digest.hash(key, known)
    nodes[node]?.changes[key] = nil
    if nodes[node]?.sessions.isEmpty == true { nodes[node] = nil }
    subscribers[key]?.removeAll { $0 == node }
    if subscribers[key]?.isEmpty == true { subscribers[key] = nil }
    return true
  }

  /// Removes the subscriptions of a node that has failed, and returns its sessions.
  package mutating func removeAll(of node: NodeID) -> [SessionKey] {
    let sessions = nodes[node].map { Array($0.sessions.keys) } ?? []
    for key in sessions { remove(node, from: key) }
    return sessions
  }

  /// Removes the subscriptions to a session that is closed.
  ///
  /// - Returns: Their nodes and numbers.
  package mutating func removeAll(from key: SessionKey) -> [(node: NodeID, number: UInt64)] {
    let removed = nodes(of: key).map { ($0, number(of: key, for: $0) ?? 0) }
    for (node, _) in removed { remove(node, from: key) }
    return removed
  }

  /// Records the last commit of a session, whose version the next digests contain.
  ///
  /// - Returns: The subscribed nodes.
  package mutating func committed(_ key: SessionKey, at cursor: Cursor) -> [NodeID] {
    guard let subscribed = subscribers[key] else { return [] }
    for node in subscribed { nodes[node]?.changes[key] = cursor }
    return subscribed
  }

  /// Returns the digests that are due, one per subscribed node, and forgets the changes.
  package mutating func takeDigests() -> [(node: NodeID, digest: Digest)] {
    let sorted = nodes.keys.sorted { $0.description < $1.description }
    return sorted.map { node in
      let changes = nodes[node]?.changes ?? [:]
      nodes[node]?.changes = [:]
      let listed = changes.map { Digest.Change(session: $0.key, cursor: $0.value) }
      return (
        node,
        Digest(
          changes: listed.sorted { $0.session.description < $1.session.description },
          subscriptions: nodes[node]?.hash ?? 0)
      )
    }
  }
}
