internal import ReactorLog
internal import Shares

/// Access to the sessions of this process for the router of a cluster.
extension ReactorRuntime: LocalReactor {
  var ledger: Ledger { environment.settings.ledger }

  var fingerprint: String { environment.witness.schema() }

  func lastWriter(of id: String) throws(LogError) -> NodeID? {
    try environment.log.session(SessionKey(reactor: name, id: id)).lastWriter()
  }

  func isInMemory(_ id: String) -> Bool { residentSession(id) != nil }

  func handOver(_ id: String, to owner: NodeID?) async {
    if let session = residentSession(id) {
      await SessionHandOver(session: session).start(to: owner)
    }
  }

  func closeIfContinued(_ id: String) {
    guard let session = residentSession(id) else { return }
    switch try? session.log.record() {
    case nil, .some(.none): return
    case .stored(let stored)
    where stored.epoch == session.epoch && stored.version <= session.current.version:
      return
    // The session itself may have a batch in flight: the log decides.
    case .stored, .ended: try? SessionHandOver(session: session).confirmOwner()
    }
  }
}
