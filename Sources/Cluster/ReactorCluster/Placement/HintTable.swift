package import ReactorLog

/// The known owners of sessions, each valid for 10 s.
///
/// A hint may be wrong at any time: the receiver of a request replies with the owner that it knows.
package struct HintTable: Sendable {
  /// The time for which a hint is valid.
  package static let validity: Milliseconds = 10_000

  /// The maximum number of hints.
  ///
  /// A full table drops the expired hints, or all hints if none has expired: a hint only saves a
  /// hop.
  package static let limit = 10_000

  private struct Hint {
    let owner: NodeID
    let expiry: Milliseconds
  }

  private var hints: [SessionKey: Hint] = [:]

  /// Creates an empty table.
  package init() {}

  /// The number of hints, the expired ones included.
  package var count: Int { hints.count }

  /// Records the owner of a session.
  package mutating func set(_ owner: NodeID, for key: SessionKey, at now: Milliseconds) {
    if hints.count >= Self.limit, hints[key] == nil {
      hints = hints.filter { $0.value.expiry > now }
      if hints.count >= Self.limit { hints.removeAll() }
    }
    hints[key] = Hint(owner: owner, expiry: now + Self.validity)
  }

  /// Returns the owner of a session, or `nil` without a valid hint.
  package func owner(of key: SessionKey, at now: Milliseconds) -> NodeID? {
    guard let hint = hints[key], hint.expiry > now else { return nil }
    return hint.owner
  }

  /// Removes the hint of a session.
  package mutating func remove(_ key: SessionKey) {
    hints[key] = nil
  }

  /// Removes the hints that name a node.
  package mutating func removeAll(naming node: NodeID) {
    hints = hints.filter { $0.value.owner != node }
  }
}
