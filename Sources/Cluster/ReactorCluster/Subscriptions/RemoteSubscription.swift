package import ReactorLog

/// The subscription of this node to a session at the session's owner, on behalf of all subscribers of
/// this node.
///
/// ```
///             opened at version v                     commit after v: published
/// opening ────────────────────────▶ live at version v ◀────────┐
///    ▲ │ failed                      │   │ └───────────────────┘
///    │ ▼                             │   └── deleted: ended
///  waiting                           │
///    ▲                               │ a gap, a digest with a later version, the owner has failed or
///    └───────────── opening ◀────────┘ has closed the session
/// ```
///
/// An opened subscription includes the current State, so a gap skips states and never repeats one.
///
/// Each attempt to open it has a number, which is larger than those of all earlier attempts of this
/// node. Requests and messages can overtake each other: the owner ignores the message of an earlier
/// attempt, and this node the reply to one.
package struct RemoteSubscription: Sendable {
  /// The consequence of an event.
  package enum Action: Equatable, Sendable {
    /// There is nothing to do.
    case none

    /// Open the subscription at the session's owner, see `SubscriptionTable.beginOpening(_:)`, and
    /// report `opened(_:by:at:)` or ``failedToOpen(_:at:)``.
    case open

    /// Publish the states after a version.
    case publish(after: Int)

    /// The session was deleted.
    case end
  }

  private enum Phase: Equatable {
    case opening
    case waiting(until: Milliseconds)
    case live(owner: NodeID)
    case ended
  }

  /// The pause before a subscription is opened again.
  package static let pause: Milliseconds = 100

  private var phase = Phase.opening
  /// The number of the last attempt to open the subscription; 0 before the first.
  private(set) var number: UInt64 = 0
  /// Whether the owner has closed the subscription before its reply has arrived.
  private var isClosed = false
  /// The position of the last published state, or `nil` before the first.
  private(set) var cursor: Cursor?
  /// The latest version that an owner has mentioned while the subscription was opening.
  private var mentioned: Cursor?

  /// Creates a subscription that is to be opened.
  package init() {}

  /// The owner that publishes, or `nil` while the subscription is not open.
  package var owner: NodeID? {
    if case .live(let owner) = phase { owner } else { nil }
  }

  /// The time at which the subscription is opened again, or `nil` while that is not due.
  package var nextDeadline: Milliseconds? {
    if case .waiting(let until) = phase { until } else { nil }
  }

  /// An attempt to open the subscription begins.
  ///
  /// - Returns: `false` if it is not to be opened.
  mutating func beginOpening(_ number: UInt64) -> Bool {
    guard phase == .opening else { return false }
    self.number = number
    isClosed = false
    return true
  }

  /// The owner has replied to an attempt with its current State.
  ///
  /// - Returns: `Action.publish(after:)` with the version before the state if it is new.
  package mutating func opened(
    _ number: UInt64, by owner: NodeID, at opened: Cursor
  ) -> Action {
    guard phase == .opening, number == self.number else { return .none }
    let missed = mentioned
    mentioned = nil
    let hasMissed = missed?.epoch == opened.epoch && missed?.version ?? 0 > opened.version
    if isClosed || hasMissed { return .open }
    phase = .live(owner: owner)
    if let cursor, cursor.epoch == opened.epoch, cursor.version >= opened.version { return .none }
    cursor = opened
    return .publish(after: opened.version - 1)
  }

  /// An attempt to open the subscription has failed.
  package mutating func failedToOpen(_ number: UInt64, at now: Milliseconds) {
    guard phase == .opening, number == self.number else { return }
    phase = .waiting(until: now + Self.pause)
  }

  /// Opens the subscription again if that is due.
  package mutating func tick(at now: Milliseconds) -> Action {
    guard case .waiting(let until) = phase, until <= now else { return .none }
    return reopen()
  }

  /// An owner has published states.
  ///
  /// - Parameters:
  ///   - owner: The sender.
  ///   - epoch: The epoch of the states.
  ///   - base: The version before the first state.
  ///   - version: The version of the last state.
  /// - Returns: The consequence.
  package mutating func received(
    from owner: NodeID, epoch: String, after base: Int, to version: Int
  ) -> Action {
    guard case .live(owner) = phase, let known = cursor else {
      return mention(Cursor(epoch: epoch, version: version))
    }
    guard known.epoch == epoch, base <= known.version else { return reopen() }
    guard version > known.version else { return .none }
    cursor = Cursor(epoch: epoch, version: version)
    return .publish(after: known.version)
  }

  /// The digest of an owner names a version.
  package mutating func received(digestFrom owner: NodeID, _ latest: Cursor) -> Action {
    guard case .live(owner) = phase else { return mention(latest) }
    guard let cursor, cursor.epoch == latest.epoch, cursor.version >= latest.version else {
      return reopen()
    }
    return .none
  }

  /// An owner has closed the subscription, because the session has left its memory or was deleted.
  package mutating func closed(
    _ number: UInt64, by owner: NodeID, isDeleted: Bool
  ) -> Action {
    guard number == self.number else { return .none }
    // The message can overtake the reply to the request that has opened the subscription.
    if phase == .opening { isClosed = true }
    guard case .live(owner) = phase else { return .none }
    guard isDeleted else { return reopen() }
    phase = .ended
    return .end
  }

  /// A node has failed.
  package mutating func failed(_ node: NodeID) -> Action {
    guard case .live(node) = phase else { return .none }
    return reopen()
  }

  /// Opens the subscription again, because the owner may not have it any longer.
  package mutating func reopen() -> Action {
    guard phase != .opening, phase != .ended else { return .none }
    phase = .opening
    return .open
  }

  private mutating func mention(_ latest: Cursor) -> Action {
    guard phase == .opening else { return .none }
    if let mentioned, mentioned.epoch == latest.epoch, mentioned.version >= latest.version {
      return .none
    }
    mentioned = latest
    return .none
  }
}
