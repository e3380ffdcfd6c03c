internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// The edge's side of subscriptions.
extension ClusterNode {
  /// Opens the subscription of a remote session.
  func subscribe(_ session: RemoteSession) {
    let isNew = state.withLock { $0.subscriptions.insert(session.key) }
    if isNew { openSubscription(to: session.key) }
  }

  /// Closes the subscription of a session that has no observer left.
  func unsubscribe(_ session: RemoteSession) {
    let (owner, me) = state.withLock { state in
      (state.subscriptions.remove(session.key), state.machine.node)
    }
    guard let owner else { return }
    send(.unsubscribe(session.key, from: me), to: owner, about: session.key)
  }

  func openSubscription(to key: SessionKey) {
    call(.subscribe, of: key) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(.opened(let image, _), let owner):
        change(key, states: [image.current]) { $0.opened(by: owner, at: image.current.cursor) }
        didOpenSubscription(to: key, at: owner)
      case .success(.failed(.ended), _), .success(.failed(.unknown), _):
        remoteSession(key)?.end(.deleted)
      default:
        let now = now
        change(key) { subscription in
          subscription.failedToOpen(at: now)
          return .none
        }
      }
    }
  }

  /// Reports the streams to the owner at which a subscription was opened.
  ///
  /// If the subscription was removed in the meantime, closes it at the owner.
  private func didOpenSubscription(to key: SessionKey, at owner: NodeID) {
    if let session = remoteSession(key), state.withLock({ $0.subscriptions.has(key) }) {
      session.didOpenSubscription()
    } else {
      send(.unsubscribe(key, from: node), to: owner, about: key)
    }
  }

  /// Reports the streams of this node to the owner, if there is one.
  func report(_ streams: [StreamOwner: Int], of key: SessionKey) {
    let (owner, me) = state.withLock { ($0.subscriptions.owner(of: key), $0.machine.node) }
    guard let owner else { return }
    let reported = streams.map { ReportedStreams(name: $0.key.text, count: $0.value) }
    send(.streams(key, reported, from: me), to: owner, about: key)
  }

  /// Returns the remote session of a key; `nil` if no client of this node uses it.
  func remoteSession(_ key: SessionKey) -> RemoteSession? {
    state.withLock { $0.remotes[key]?.session }
  }

  /// Returns the remote session of a key, updated with the state in the reply of its owner.
  ///
  /// Streams of one session share one object, so that they share a subscription.
  func remoteSession(
    _ key: SessionKey, _ image: SessionImage, of owner: NodeID
  ) -> RemoteSession {
    let (session, replaced) = state.withLock { state -> (RemoteSession, RemoteSession?) in
      let known = state.remotes[key]?.session
      if let known, known.epoch == image.current.cursor.epoch { return (known, nil) }
      let session = RemoteSession(key, image, of: owner, at: self)
      state.remotes[key] = WeakSession(session: session)
      return (session, known)
    }
    // The session has another epoch: the streams that show the previous one end.
    replaced?.end(.deleted)
    session.update(image, of: owner)
    return session
  }

  /// Removes the entries of sessions that no client uses.
  func sweepRemoteSessions() {
    state.withLock { state in
      state.remotes = state.remotes.filter { $0.value.session != nil }
    }
  }

  func receive(_ commits: PublishedCommits) {
    let state = CommittedState(
      cursor: Cursor(epoch: commits.epoch, version: commits.version), json: commits.state)
    change(commits.session, states: [state]) {
      $0.received(
        from: commits.owner, epoch: commits.epoch, after: commits.base, to: commits.version)
    }
  }

  func receive(_ digest: Digest, from owner: NodeID) {
    let now = now
    let reopened = state.withLock { $0.subscriptions.received(digest, from: owner, at: now) }
    for key in reopened { openSubscription(to: key) }
  }

  /// Changes a subscription, and publishes the states that follow the last one.
  func change(
    _ key: SessionKey, states: [CommittedState] = [],
    _ body: (inout RemoteSubscription) -> RemoteSubscription.Action
  ) {
    let now = now
    var session: RemoteSession?
    let action = state.withLock { state in
      session = state.remotes[key]?.session
      let action = state.subscriptions.change(key, at: now, body)
      // Enqueue within the lock, so that the states have the order of the decisions.
      if case .publish(let base) = action {
        session?.enqueue(states.filter { $0.version > base })
      }
      return action
    }
    switch action {
    case .none: break
    case .open: openSubscription(to: key)
    case .publish: session?.publishEnqueued()
    case .end: session?.end(.deleted)
    }
  }
}
