package import ReactorLog

/// Nodes that the bus does not reach: nodes that were killed, and nodes whose connection is replaced.
///
/// ```
///             "no such node"                 the same ``ClusterSettings/confirmation`` later
///   alive ──────────────────▶ unreachable ──────────────────────────────────────────────────▶ failed
///     ▲                            │
///     └────────────────────────────┘ a reply or a heartbeat: undelivered calls are sent again
/// ```
///
/// The first node that does not reach another one informs all others, which probe it as well. The
/// next owner of a killed node's session has thus begun to confirm the failure before it needs the
/// session. Each node decides by its own probes.
///
/// A node does not count as failed immediately, because a failed incarnation cannot return: a node
/// would close all of its sessions because of the moment in which a lost connection is replaced.
extension ClusterMachine {
  /// A node that the bus does not reach.
  struct Unreachable {
    /// The time of the first message that was not delivered.
    let since: Milliseconds
    var nextProbe: Milliseconds
    /// The calls that were not delivered.
    var calls: [CallID] = []
  }

  /// The bus has no receiver for a message to a node.
  package mutating func notDelivered(to target: NodeID, at now: Milliseconds) {
    notDelivered(nil, to: target, at: now)
  }

  /// A call was not delivered to a living node.
  mutating func notDelivered(_ id: CallID?, to target: NodeID, at now: Milliseconds) {
    guard membership.isAlive(target) else { return }
    if unreachable[target] == nil { emit(.reportUnreachable(target)) }
    var state = unreachable[target] ?? Unreachable(since: now, nextProbe: now)
    if let id {
      if calls[id]?.call.isQuery ?? true { calls[id] = nil } else { state.calls.append(id) }
    }
    unreachable[target] = state
    guard now - state.since >= settings.confirmation, membership.fail(target) else { return }
    didFail(target, at: now)
  }

  /// Another node has reported that it does not reach a node: this node probes it as well.
  package mutating func reportedUnreachable(_ target: NodeID) {
    guard membership.isAlive(target), unreachable[target] == nil else { return }
    call(.probe, .probe, target, timeout: settings.suspect)
  }

  /// A node has replied or sent a heartbeat.
  mutating func didReach(_ node: NodeID, at now: Milliseconds) {
    if membership.isAlive(node) { heardAt[node] = now }
    guard let state = unreachable.removeValue(forKey: node) else { return }
    for id in state.calls { repeatCall(id, at: now) }
  }

  /// Repeats a call that was not delivered.
  private mutating func repeatCall(_ id: CallID, at now: Milliseconds) {
    guard let (call, target) = calls.removeValue(forKey: id) else { return }
    switch call {
    case .forward(let count):
      pending[count]?.call = nil
      route(count, at: now)
    case .release(let key): emit(.findLastWriter(key))
    case .global(let token):
      guard let change = changes[token] else { return }
      self.call(.global(token), .applyGlobal(change.global), target, timeout: settings.globalLimit)
    case .probe, .locate: break
    }
  }

  /// The time of the next probe of an unreachable node.
  var nextConfirmation: Milliseconds? { unreachable.values.map(\.nextProbe).min() }

  /// Probes the unreachable nodes: immediately, and then at intervals of half of
  /// ``ClusterSettings/confirmation`` until they count as failed.
  mutating func confirmUnreachable(at now: Milliseconds) {
    let due = unreachable.filter { $0.value.nextProbe <= now }.keys
    for target in due.sorted(by: { $0.description < $1.description }) {
      let (since, interval) = (unreachable[target]?.since ?? now, settings.confirmation / 2)
      unreachable[target]?.nextProbe = since + ((now - since) / interval + 1) * interval
      call(.probe, .probe, target, timeout: settings.suspect)
    }
  }

  // MARK: Silence

  /// Probes the nodes that are silent while they have a request, once per delivery.
  ///
  /// The requests that a killed process had received get no reply, and without a further message
  /// the bus does not report the process.
  mutating func probeSilent(at now: Milliseconds) {
    let due = pending.filter { silenceEnd(of: $0.value).map { $0 <= now } ?? false }
    for count in due.keys { pending[count]?.isProbed = true }
    let targets = Set(due.values.compactMap(\.target))
    for target in targets.sorted(by: { $0.description < $1.description }) {
      call(.probe, .probe, target, timeout: settings.suspect)
    }
  }

  /// The time of the next probe of a silent node, if it stays silent.
  var nextSilence: Milliseconds? { pending.values.compactMap { silenceEnd(of: $0) }.min() }

  /// Returns the time at which the target of a request is probed if it stays silent, or `nil` if it is
  /// not to be probed.
  private func silenceEnd(of request: Pending) -> Milliseconds? {
    guard !request.isProbed, request.call != nil, let target = request.target,
      unreachable[target] == nil
    else { return nil }
    return max(request.sentAt, heardAt[target] ?? 0) + settings.silence
  }
}

extension ClusterMachine.Call {
  /// Whether the call is a query, which is not repeated if it was not delivered.
  fileprivate var isQuery: Bool {
    switch self {
    case .probe, .locate: true
    case .forward, .release, .global: false
    }
  }
}
