internal import ReactorLog
internal import Synchronization

/// The uses of this node's sessions by its own clients and by other nodes, for ``ClientAffinity``.
///
/// It has its own lock, since clients of this node use a session in memory without the machine's
/// lock.
final class SessionUses: Sendable {
  private let affinity = Mutex(ClientAffinity())
  private let isEmpty = Atomic(true)

  /// Records a request of another node.
  ///
  /// A call that is not an action does not end a row: a client also opens its session between
  /// actions.
  ///
  /// - Returns: Whether the session can move to the node that sent the request.
  func receive(_ request: NodeRequest, at now: Milliseconds) -> Bool {
    guard case .forward(let request) = request, request.kind == .action else { return false }
    return change { $0.received(request.session, from: request.number.edge, at: now) }
  }

  /// Records that a client of this node uses a session in memory.
  func recordUse(of id: String, reactor: String) {
    guard !isEmpty.load(ordering: .relaxed) else { return }
    endRow(of: SessionKey(reactor: reactor, id: id))
  }

  /// Ends the row of a session that a client of this node uses, or that has moved.
  func endRow(of key: SessionKey) {
    change { $0.endRow(of: key) }
  }

  private func change<Result: Sendable>(_ body: (inout ClientAffinity) -> Result) -> Result {
    affinity.withLock { affinity in
      defer { isEmpty.store(affinity.isEmpty, ordering: .relaxed) }
      return body(&affinity)
    }
  }
}
