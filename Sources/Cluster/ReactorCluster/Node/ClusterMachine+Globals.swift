internal import ReactorLog

/// Globals: the node that sets one requests the others to apply it.
///
/// The request only shortens the delay: a node also reads all globals when it is ready and every
/// ``ClusterSettings/refresh`` milliseconds.
extension ClusterMachine {
  /// A global that this node has set, and that some other nodes have not applied yet.
  struct PendingChange {
    /// The name of the global.
    let global: String
    /// The number of nodes whose reply is pending.
    var pending: Int
    /// The number of living nodes that have not applied it.
    var unconfirmed = 0
  }

  /// This node has set a global, and the log has the value.
  ///
  /// - Parameters:
  ///   - global: The name.
  ///   - token: Identifies the change in `ClusterEffect.applied(_:unconfirmed:)`.
  package mutating func didSet(_ global: String, token: ChangeToken) {
    let others = membership.members.keys.sorted { $0.description < $1.description }
    guard !others.isEmpty else { return emit(.applied(token, unconfirmed: 0)) }
    changes[token] = PendingChange(global: global, pending: others.count)
    for other in others {
      call(.global(token), .applyGlobal(global), other, timeout: settings.globalLimit)
    }
  }

  /// A node has replied, failed, or not replied in time.
  mutating func didApply(_ token: ChangeToken, isConfirmed: Bool) {
    guard var change = changes[token] else { return }
    change.pending -= 1
    if !isConfirmed { change.unconfirmed += 1 }
    changes[token] = change
    guard change.pending == 0 else { return }
    changes[token] = nil
    emit(.applied(token, unconfirmed: change.unconfirmed))
  }

  /// Completes all changes without waiting: replies to the previous incarnation do not arrive.
  mutating func abandonChanges() {
    for (token, change) in changes.sorted(by: { $0.key < $1.key }) {
      emit(.applied(token, unconfirmed: change.pending + change.unconfirmed))
    }
    changes = [:]
  }
}
