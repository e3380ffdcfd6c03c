internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Globals, which one node sets and all nodes apply.
extension ClusterNode {
  package func didSet(_ global: String) async {
    await withCheckedContinuation { continuation in
      let token = state.withLock { state in
        let token = state.newToken()
        state.changes[token] = continuation
        return token
      }
      handle { machine, _ in machine.didSet(global, token: token) }
    }
  }

  func didApply(_ token: ChangeToken, _ unconfirmed: Int) {
    if unconfirmed > 0 { counters.unconfirmedGlobals.add() }
    state.withLock { $0.changes.removeValue(forKey: token) }?.resume()
  }

  package func refreshGlobals(unlike revisions: [String: UInt64]) async {
    for global in globals where revisions[global.name].map({ $0 != global.revision }) ?? false {
      _ = await global.refresh()
    }
  }

  /// Reads all globals again.
  func refreshGlobals() {
    for global in globals { reads.start { _ = await global.refresh() } }
  }

  /// Reads a global again that another node has set, and replies.
  ///
  /// A global that this node does not have counts as applied.
  func apply(_ name: String, _ reply: @escaping @Sendable ([UInt8]) -> Void) {
    guard let global = globals.first(where: { $0.name == name }) else {
      return reply(NodeReply.applied.bytes)
    }
    reads.start { reply((await global.refresh() ? NodeReply.applied : .unavailable).bytes) }
  }
}
