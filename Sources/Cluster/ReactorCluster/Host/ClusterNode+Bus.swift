internal import ReactorHost
package import ReactorLog
internal import Synchronization

/// Requests and messages of other nodes.
extension ClusterNode: BusHandler {
  package func didReceive(
    request bytes: [UInt8], reply: @escaping @Sendable ([UInt8]) -> Void
  ) {
    guard let (request, sender) = NodeRequest.read(bytes) else { return }
    switch request {
    case .list(let reactor, let id, let limit):
      return self.reply(toListOf: reactor, after: id, limit: limit, reply)
    case .applyGlobal(let name): return apply(name, reply)
    case .describe: return reply(NodeReply.description(description).bytes)
    case .forward, .release, .probe, .locate: break
    }
    if case .forward = request { counters.received.add() }
    let isInMemory = request.session.map { self.isInMemory($0) } ?? false
    let canMove = uses.receive(request, at: now)
    handleState { state, now in
      let token = state.newToken()
      state.replies[token] = reply
      state.machine.received(
        request, isInMemory: isInMemory, canMove: canMove, reply: token, from: sender, at: now)
    }
  }

  package func didReceive(message bytes: [UInt8]) {
    guard let message = NodeMessage(reading: bytes) else { return }
    receive(message)
  }

  package func didLose(_ node: NodeID) {
    handle { machine, _ in machine.reportedUnreachable(node) }
  }

  func receive(_ message: NodeMessage) {
    switch message {
    case .heartbeat(let heartbeat):
      compare(heartbeat)
      handle { $0.received(heartbeat, at: $1) }
    case .expelled(let incarnation): handle { machine, _ in machine.expelled(incarnation) }
    case .unreachable(let node): handle { machine, _ in machine.reportedUnreachable(node) }
    case .claim(let key, let owner):
      let isInMemory = isInMemory(key)
      handle { $0.claimed(key, by: owner, isInMemory: isInMemory, at: $1) }
    case .claims(let keys, let claimant, let isReply):
      confirm(keys, claimedBy: claimant, isReply: isReply)
    case .commits(let commits): receive(commits)
    case .digest(let digest, let owner): receive(digest, from: owner)
    case .closed(let key, let number, let isDeleted, let owner):
      change(key) { $0.closed(number, by: owner, isDeleted: isDeleted) }
    case .streams(let key, let report, let edge): receive(report, of: key, from: edge)
    case .presence(let key, let page): remoteSession(key)?.didReceive(page)
    case .unsubscribe(let key, let number, let edge):
      unsubscribe(edge, from: key, upTo: number)
    case .signal(let key, let json, let sender):
      // A session that has left this node's memory has no subscribers here.
      reactor(key.reactor)?.liveSession(key.id)?.publish(SessionSignal(json, from: sender))
    case .publishedSignal(let key, let json, let sender):
      remoteSession(key)?.didReceive(SessionSignal(json, from: sender))
    case .observesActivity(let key, let number, let isObserved, let edge):
      changeFeed(of: key, for: edge, number) { $0.setObservesActivity(isObserved, edge) }
    case .activity(let key, let activity): remoteSession(key)?.didReceive(activity)
    }
  }

  /// Logs the differences of another node, once per node and difference.
  private func compare(_ heartbeat: Heartbeat) {
    let now = now
    let differences = state.withLock { state in
      state.isOwn(heartbeat.node)
        ? [] : state.differences.compare(heartbeat, with: state.machine.currentHeartbeat, at: now)
    }
    guard !differences.isEmpty else { return }
    logger.warning(
      "another node differs from this one",
      ["node": "\(heartbeat.node)", "in": differences.joined(separator: ", ")])
  }

  /// Sends a message to a node, which may be this one; a session's messages keep their order.
  func send(_ message: NodeMessage, to target: NodeID, about key: SessionKey? = nil) {
    guard target != node else { return receive(message) }
    let lane = key.map { Int(Placement.hash($0) % 4) } ?? 0
    bus.send(message.bytes, to: target, lane: lane)
  }
}

extension NodeRequest {
  /// The session that the request is about.
  fileprivate var session: SessionKey? {
    switch self {
    case .forward(let request): request.session
    case .release(let key): key
    case .probe, .locate, .list, .applyGlobal, .describe: nil
    }
  }
}
