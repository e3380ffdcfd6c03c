package import ReactorLog

/// The remote subscriptions of this node.
package struct SubscriptionTable: Sendable {
  /// The time without a digest after which an owner is presumed to have no subscriptions of this
  /// node.
  package static let silence: Milliseconds = 3 * Digest.interval

  /// The maximum number of sessions.
  ///
  /// Further ones are rejected.
  package static let limit = 1_000_000

  private struct Owner {
    var hash: UInt64 = 0
    var heardAt: Milliseconds
    /// Whether the last digest did not match: a message of the subscription may be in flight.
    var isSuspect = false
  }

  private var subscriptions: [SessionKey: RemoteSubscription] = [:]
  private var owners: [NodeID: Owner] = [:]
  /// The subscriptions that wait for the end of a pause; ``tick(at:)`` reads only these.
  private var paused: Set<SessionKey> = []
  /// The number of the last attempt to open a subscription.
  private var lastNumber: UInt64 = 0

  /// Creates an empty table.
  package init() {}

  /// The number of sessions.
  package var count: Int { subscriptions.count }

  /// Returns whether there is a subscription, open or not.
  package func has(_ key: SessionKey) -> Bool { subscriptions[key] != nil }

  /// Returns the owner of an open subscription.
  package func owner(of key: SessionKey) -> NodeID? { subscriptions[key]?.owner }

  /// Returns the position of the last published state.
  package func cursor(of key: SessionKey) -> Cursor? { subscriptions[key]?.cursor }

  /// Adds a subscription, which is to be opened.
  ///
  /// - Returns: `false` if it exists, or the limit is reached.
  package mutating func insert(_ key: SessionKey) -> Bool {
    guard subscriptions[key] == nil, subscriptions.count < Self.limit else { return false }
    subscriptions[key] = RemoteSubscription()
    return true
  }

  /// Begins an attempt to open a subscription.
  ///
  /// - Returns: The number of the attempt, which is larger than those of all earlier attempts, or `nil`
  ///   if the subscription is not to be opened.
  package mutating func beginOpening(_ key: SessionKey) -> UInt64? {
    guard subscriptions[key]?.beginOpening(lastNumber + 1) == true else { return nil }
    lastNumber += 1
    return lastNumber
  }

  /// Returns whether an attempt is the last one for its subscription.
  package func isCurrent(_ number: UInt64, of key: SessionKey) -> Bool {
    subscriptions[key]?.number == number
  }

  /// Returns the owner of an open subscription, and the number of the attempt that has opened it.
  package func opened(_ key: SessionKey) -> (owner: NodeID, number: UInt64)? {
    guard let subscription = subscriptions[key], let owner = subscription.owner else { return nil }
    return (owner, subscription.number)
  }

  /// Removes a subscription.
  ///
  /// - Returns: The owner, which is to be notified, and the number of the subscription.
  package mutating func remove(_ key: SessionKey) -> (owner: NodeID, number: UInt64)? {
    paused.remove(key)
    let opened = opened(key)
    subscriptions[key] = nil
    if let opened { owners[opened.owner]?.hash ^= Digest.hash(key, opened.number) }
    return opened
  }

  /// A state of a session arrived from its owner.
  ///
  /// - Returns: If there is no subscription, the number up to which the owner is to remove those of
  ///   this node: a late request can subscribe a node whose subscription was closed.
  package func removal(of key: SessionKey) -> UInt64? {
    subscriptions[key] == nil ? lastNumber : nil
  }

  /// Changes a subscription.
  ///
  /// - Returns: The consequence; `RemoteSubscription.Action.none` if there is no subscription.
  @discardableResult
  package mutating func change(
    _ key: SessionKey, at now: Milliseconds,
    _ body: (inout RemoteSubscription) -> RemoteSubscription.Action
  ) -> RemoteSubscription.Action {
    guard var subscription = subscriptions[key] else { return .none }
    let before = opened(key)
    let action = body(&subscription)
    subscriptions[key] = subscription
    if subscription.nextDeadline != nil { paused.insert(key) } else { paused.remove(key) }
    let after = opened(key)
    guard before?.owner != after?.owner else { return action }
    if let (owner, number) = before { owners[owner]?.hash ^= Digest.hash(key, number) }
    if let (owner, number) = after {
      owners[owner, default: Owner(heardAt: now)].hash ^= Digest.hash(key, number)
    }
    return action
  }

  /// A digest arrived.
  ///
  /// - Returns: The sessions whose subscription is to be opened again.
  package mutating func received(
    _ digest: Digest, from owner: NodeID, at now: Milliseconds
  ) -> [SessionKey] {
    var reopened = digest.changes.compactMap { listed in
      change(listed.session, at: now) { $0.received(digestFrom: owner, listed.cursor) } == .open
        ? listed.session : nil
    }
    guard owners[owner] != nil else { return reopened }
    owners[owner]?.heardAt = now
    // A subscription that is being opened or closed causes a difference in one digest only.
    let differs = owners[owner]?.hash != digest.subscriptions
    if differs, owners[owner]?.isSuspect == true { reopened += reopen(at: owner, at: now) }
    owners[owner]?.isSuspect = differs
    return reopened
  }

  /// A node has failed.
  ///
  /// - Returns: The sessions whose subscription is to be opened again.
  package mutating func failed(_ node: NodeID, at now: Milliseconds) -> [SessionKey] {
    defer { owners[node] = nil }
    return reopen(at: node, at: now)
  }

  /// Opens subscriptions again: those whose pause is over, and those at an owner that has sent no
  /// digest for ``silence``.
  ///
  /// Its cost does not depend on the number of open subscriptions, unless an owner is silent.
  ///
  /// - Returns: The sessions whose subscription is to be opened.
  package mutating func tick(at now: Milliseconds) -> [SessionKey] {
    var opened: [SessionKey] = []
    for key in paused {
      if change(key, at: now, { $0.tick(at: now) }) == .open { opened.append(key) }
    }
    for (owner, state) in owners where now - state.heardAt >= Self.silence {
      opened += reopen(at: owner, at: now)
      owners[owner] = nil
    }
    return opened.sorted { $0.description < $1.description }
  }

  private mutating func reopen(at owner: NodeID, at now: Milliseconds) -> [SessionKey] {
    let keys = subscriptions.filter { $0.value.owner == owner }.keys
    return keys.filter { key in
      change(key, at: now) { $0.reopen() } == .open
    }.sorted { $0.description < $1.description }
  }
}
