internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Globals, which one node sets and all nodes apply.
extension ClusterNode {
  package func didSet(_ global: String, completion: @escaping @Sendable () -> Void) {
    let token = state.withLock { state in
      let token = state.newToken()
      state.changes[token] = completion
      return token
    }
    handle { machine, _ in machine.didSet(global, token: token) }
  }

  package func refreshGlobals(
    unlike revisions: [String: UInt64], completion: @escaping @Sendable () -> Void
  ) {
    let next = globals.first { global in
      revisions[global.name].map { $0 != global.revision } ?? false
    }
    guard let next else { return completion() }
    var others = revisions
    others[next.name] = nil
    next.refresh { [self, others] _ in refreshGlobals(unlike: others, completion: completion) }
  }

  func didApply(_ token: ChangeToken, _ unconfirmed: Int) {
    if unconfirmed > 0 { counters.unconfirmedGlobals.add() }
    // Assigned in the closure instead of returned from it: the generic `withLock` would wrap a
    // returned function in a thunk.
    var completion: (@Sendable () -> Void)?
    state.withLock { completion = $0.changes.removeValue(forKey: token) }
    completion?()
  }

  /// Reads a global again that another node has set, and replies.
  ///
  /// A global that this node does not have counts as applied.
  func apply(_ name: String, _ reply: @escaping @Sendable ([UInt8]) -> Void) {
    guard let global = globals.first(where: { $0.name == name }) else {
      return reply(NodeReply.applied.bytes)
    }
    read {
      global.refresh { isRead in
        reply((isRead ? NodeReply.applied : .unavailable).bytes)
      }
    }
  }
}
