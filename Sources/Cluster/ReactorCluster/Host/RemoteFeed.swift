internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Publishes the commits of a session of this node to the subscribed nodes.
final class RemoteFeed: SessionObserver, PresenceObserver, SignalObserver, ActivityObserver {
  private struct State {
    var latest: CommittedState?
    /// The streams per node.
    var streams: [NodeID: ReportedNode] = [:]
    /// The nodes that have requested the activity.
    var activityObservers: Set<NodeID> = []
  }

  let key: SessionKey
  private weak let node: ClusterNode?
  weak let session: (any Session)?
  private let state = Mutex(State())

  init(_ session: any Session, at node: ClusterNode) {
    key = session.key
    self.session = session
    self.node = node
  }

  /// Observes the session.
  ///
  /// - Returns: `false` if it has ended.
  func begin() -> Bool {
    guard let base = session?.observe(self) else { return false }
    // Retain the state of a commit that was published in the meantime.
    state.withLock { if $0.latest == nil { $0.latest = base } }
    session?.observePresence(self)
    session?.observeSignals(self)
    return true
  }

  /// The last published state.
  var latest: CommittedState? { state.withLock { $0.latest } }

  func sessionDidCommit(_ committed: CommittedState) {
    let base = state.withLock { state in
      let base = state.latest?.version ?? committed.version - 1
      state.latest = committed
      return base
    }
    node?.publish(committed, of: key, after: base)
  }

  func sessionDidEnd(_ end: SessionEnd) {
    node?.feedDidEnd(self, isDeleted: end == .deleted)
  }

  func presenceDidChange(_ update: PresenceUpdate) {
    node?.publish(update.eventPage, of: key)
  }

  func didReceive(_ signal: SessionSignal) {
    node?.publish(signal, of: key)
  }

  func activityDidChange(_ activity: SessionActivity) {
    node?.publish(activity, of: key, to: state.withLock { $0.activityObservers })
  }

  /// Adds or removes a node that has requested the activity.
  func setObservesActivity(_ isObserved: Bool, _ edge: NodeID) {
    let (isFirst, isLast) = state.withLock { state in
      let wasEmpty = state.activityObservers.isEmpty
      if isObserved {
        state.activityObservers.insert(edge)
      } else {
        state.activityObservers.remove(edge)
      }
      let isEmpty = state.activityObservers.isEmpty
      return (wasEmpty && !isEmpty, !wasEmpty && isEmpty)
    }
    if isFirst { session?.observeActivity(self) }
    if isLast { session?.stopObservingActivity(self) }
    if isObserved, let session { node?.publish(session.activity, of: key, to: [edge]) }
  }

  /// Ends the observation: no node is subscribed.
  func stop() {
    for edge in state.withLock({ Array($0.streams.keys) }) { removeStreams(of: edge) }
    for edge in state.withLock({ $0.activityObservers }) { setObservesActivity(false, edge) }
    session?.stopObserving(self)
    session?.stopObservingPresence(self)
    session?.stopObservingSignals(self)
  }

  /// Removes the streams and the activity request of a node that is no longer subscribed.
  func remove(_ edge: NodeID) {
    removeStreams(of: edge)
    setObservesActivity(false, edge)
  }

  private func removeStreams(of edge: NodeID) {
    apply(state.withLock { $0.streams.removeValue(forKey: edge)?.removal } ?? [:])
  }

  /// Changes the streams of a node.
  ///
  /// - Returns: `false` if a part of the report is missing.
  func receive(_ report: StreamReport, of edge: NodeID) -> Bool {
    let changes = state.withLock { $0.streams[edge, default: ReportedNode()].receive(report) }
    apply(changes ?? [:])
    return changes != nil
  }

  private func apply(_ changes: [StreamOwner: Int]) {
    for (owner, change) in changes where change != 0 {
      session?.changeStreams(of: owner, by: change)
    }
  }
}

extension ClusterNode.State {
  /// Subscribes a node to a session, or renews its subscription.
  ///
  /// - Returns: Whether the node has renewed a subscription that it has closed or lost, or `nil` if the
  ///   node is not alive, since its failure was handled before, or if the limit is reached.
  fileprivate mutating func subscribe(
    _ edge: NodeID, to key: SessionKey, as number: UInt64
  ) -> Bool? {
    let known = subscribed.number(of: key, for: edge)
    guard machine.isAlive(edge), subscribed.insert(edge, to: key, as: number) else { return nil }
    return known.map { $0 < number } ?? false
  }

  /// Returns the feed of a session, or `nil` if the node has no subscription with the number.
  fileprivate func feed(
    of key: SessionKey, for edge: NodeID, _ number: UInt64
  ) -> RemoteFeed? {
    subscribed.number(of: key, for: edge) == number ? feeds[key] : nil
  }
}

/// The owner's side of subscriptions.
extension ClusterNode {
  func feed(of key: SessionKey) -> RemoteFeed? {
    state.withLock { $0.feeds[key] }
  }

  /// Returns whether a node is this one or another living one.
  func isAlive(_ edge: NodeID) -> Bool {
    state.withLock { $0.machine.isAlive(edge) }
  }

  /// Changes the streams or the activity request of a subscribed node.
  ///
  /// Ignores a late message of a node whose subscription has another number or was closed, since no
  /// failure of the node would remove the change.
  func changeFeed(
    of key: SessionKey, for edge: NodeID, _ number: UInt64, _ body: (RemoteFeed) -> Void
  ) {
    guard let feed = state.withLock({ $0.feed(of: key, for: edge, number) }) else { return }
    body(feed)
    // The node may have failed in the meantime.
    let isCurrent = state.withLock { $0.feeds[key] === feed && $0.subscribed.has(key, for: edge) }
    if !isCurrent { feed.remove(edge) }
  }

  /// Changes the streams of a subscribed node.
  ///
  /// If a part of the report was lost, closes the subscription: the node opens it again, and reports
  /// all its streams.
  func receive(_ report: StreamReport, of key: SessionKey, from edge: NodeID) {
    changeFeed(of: key, for: edge, report.subscription) { feed in
      guard !feed.receive(report, of: edge) else { return }
      let message = NodeMessage.closed(key, report.subscription, isDeleted: false, by: node)
      send(message, to: edge, about: key)
    }
  }

  /// Subscribes a node to a session of this one.
  ///
  /// - Returns: The current state, which the first message to the node follows, or `nil` if the
  ///   session has ended, or the node is not alive.
  func subscribe(
    _ edge: NodeID, to session: any Session, as number: UInt64
  ) -> CommittedState? {
    let key = session.key
    let known = feed(of: key)
    let feed = known?.session === session ? known : nil
    if let feed {
      guard let isRenewed = state.withLock({ $0.subscribe(edge, to: key, as: number) }) else {
        return nil
      }
      // The node requests the activity again if it still needs it.
      if isRenewed { feed.setObservesActivity(false, edge) }
      return feed.latest
    }
    let new = RemoteFeed(session, at: self)
    let isAdded = state.withLock { state in
      guard state.subscribe(edge, to: key, as: number) != nil else { return false }
      state.feeds[key] = new
      return true
    }
    guard isAdded, new.begin() else {
      feedDidEnd(new, isDeleted: false)
      return nil
    }
    return new.latest
  }

  /// Removes the subscription of a node if its number is at most `number`.
  func unsubscribe(_ edge: NodeID, from key: SessionKey, upTo number: UInt64) {
    let (feed, isUnused) = state.withLock { state -> (RemoteFeed?, Bool) in
      guard state.subscribed.remove(edge, from: key, upTo: number) else { return (nil, false) }
      let isUnused = !state.subscribed.has(key)
      return (isUnused ? state.feeds.removeValue(forKey: key) : state.feeds[key], isUnused)
    }
    isUnused ? feed?.stop() : feed?.remove(edge)
  }

  /// Publishes a state of a session to its subscribed nodes.
  func publish(_ committed: CommittedState, of key: SessionKey, after base: Int) {
    let (owner, nodes) = state.withLock { state in
      (state.machine.node, state.subscribed.committed(key, at: committed.cursor))
    }
    guard !nodes.isEmpty else { return }
    let message = NodeMessage.commits(
      PublishedCommits(
        owner: owner, session: key, epoch: committed.cursor.epoch, base: base,
        version: committed.version, state: committed.json))
    counters.published.add(nodes.count)
    for node in nodes { send(message, to: node, about: key) }
  }

  /// Publishes the subscribers of a session to its subscribed nodes.
  func publish(_ page: PresencePage, of key: SessionKey) {
    for edge in state.withLock({ $0.subscribed.nodes(of: key) }) {
      send(.presence(key, page), to: edge, about: key)
    }
  }

  /// The session of a feed has left memory or was deleted.
  func feedDidEnd(_ feed: RemoteFeed, isDeleted: Bool) {
    let (owner, removed) = state.withLock { state -> (NodeID, [(node: NodeID, number: UInt64)]) in
      guard state.feeds[feed.key] === feed else { return (state.machine.node, []) }
      state.feeds[feed.key] = nil
      return (state.machine.node, state.subscribed.removeAll(from: feed.key))
    }
    for (node, number) in removed {
      let message = NodeMessage.closed(feed.key, number, isDeleted: isDeleted, by: owner)
      send(message, to: node, about: feed.key)
    }
  }

  /// Sends the digests that are due, and opens the subscriptions again that are due.
  func sendDigests() {
    let now = now
    let (owner, digests, due) = state.withLock { state in
      let due = state.subscriptions.tick(at: now)
      state.differences.expire(before: now - state.machine.settings.suspect)
      guard now >= state.nextDigest else {
        return (state.machine.node, [] as [(node: NodeID, digest: Digest)], due)
      }
      state.nextDigest = now + Digest.interval
      return (state.machine.node, state.subscribed.takeDigests(), due)
    }
    for (node, digest) in digests { send(.digest(digest, from: owner), to: node) }
    for key in due { openSubscription(to: key) }
  }

  /// Removes the subscriptions of a failed node, and opens this node's subscriptions at it again.
  func didFail(_ failed: NodeID) {
    counters.failures.add()
    let now = now
    let (orphans, reopened) = state.withLock { state in
      state.gone.add(failed.name, at: .now)
      var orphans: [(RemoteFeed, Bool)] = []
      for key in state.subscribed.removeAll(of: failed) {
        guard let feed = state.feeds[key] else { continue }
        let isUnused = !state.subscribed.has(key)
        if isUnused { state.feeds[key] = nil }
        orphans.append((feed, isUnused))
      }
      return (orphans, state.subscriptions.failed(failed, at: now))
    }
    for (feed, isUnused) in orphans { isUnused ? feed.stop() : feed.remove(failed) }
    for key in reopened { openSubscription(to: key) }
  }
}
