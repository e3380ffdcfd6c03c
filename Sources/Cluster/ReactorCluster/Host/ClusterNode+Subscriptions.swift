internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// The edge's side of subscriptions.
extension ClusterNode {
  /// Opens the subscription of a remote session that has observers.
  ///
  /// Reads within the lock whether it has, as ``unsubscribe(_:)`` does: each change of the observers is
  /// followed by one of these calls, in any order.
  func subscribe(_ session: RemoteSession) {
    let isNew = state.withLock { state in
      session.isObserved && state.subscriptions.insert(session.key)
    }
    if isNew { openSubscription(to: session.key) }
  }

  /// Closes the subscription of a session that has no observer left, unless a session of another epoch
  /// uses it.
  func unsubscribe(_ session: RemoteSession) {
    removeSubscription(of: session.key) { state in
      !session.isObserved && state.remotes[session.key]?.session === session
    }
  }

  /// Removes the subscription of a session that has ended.
  func removeSubscription(
    of key: SessionKey, if condition: (State) -> Bool = { _ in true }
  ) {
    let (removed, me) = state.withLock { state in
      (condition(state) ? state.subscriptions.remove(key) : nil, state.machine.node)
    }
    guard let (owner, number) = removed else { return }
    send(.unsubscribe(key, number, from: me), to: owner, about: key)
  }

  func openSubscription(to key: SessionKey) {
    guard let number = state.withLock({ $0.subscriptions.beginOpening(key) }) else { return }
    call(.subscribe(number), of: key) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(.opened(let image, _), let owner):
        change(key, states: [image.current]) {
          $0.opened(number, by: owner, at: image.current.cursor)
        }
        didOpenSubscription(number, to: key, at: owner)
      case .success(.failed(.ended), _), .success(.failed(.unknown), _):
        guard state.withLock({ $0.subscriptions.isCurrent(number, of: key) }) else { return }
        remoteSession(key)?.end(.deleted)
      default:
        let now = now
        change(key) { subscription in
          subscription.failedToOpen(number, at: now)
          return .none
        }
      }
    }
  }

  /// Reports the streams to the owner at which a subscription was opened.
  ///
  /// If the subscription was removed in the meantime, closes it at the owner.
  private func didOpenSubscription(_ number: UInt64, to key: SessionKey, at owner: NodeID) {
    let (session, exists, isCurrent) = state.withLock { state in
      (
        state.remotes[key]?.session, state.subscriptions.has(key),
        state.subscriptions.isCurrent(number, of: key)
      )
    }
    if let session, isCurrent {
      session.didOpenSubscription(number)
    } else if session == nil || !exists {
      send(.unsubscribe(key, number, from: node), to: owner, about: key)
    }
  }

  /// Reports streams of this node to the owner of a session.
  ///
  /// Without an open subscription, or if another one is opened in the meantime,
  /// `RemoteSession.didOpenSubscription(_:)` reports all streams later.
  func report(_ parts: [StreamReport], of key: SessionKey) {
    let (opened, me) = state.withLock { ($0.subscriptions.opened(key), $0.machine.node) }
    guard let (owner, number) = opened else { return }
    for part in parts where part.subscription == number {
      send(.streams(key, part, from: me), to: owner, about: key)
    }
  }

  /// Returns the remote session of a key, or `nil` if no client of this node uses it.
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
    let removal = change(commits.session, states: [state]) {
      $0.received(
        from: commits.owner, epoch: commits.epoch, after: commits.base, to: commits.version)
    }
    guard let removal else { return }
    let message = NodeMessage.unsubscribe(commits.session, removal, from: node)
    send(message, to: commits.owner, about: commits.session)
  }

  func receive(_ digest: Digest, from owner: NodeID) {
    let now = now
    let reopened = state.withLock { $0.subscriptions.received(digest, from: owner, at: now) }
    for key in reopened { openSubscription(to: key) }
  }

  /// Changes a subscription, and publishes the states that follow the last one.
  ///
  /// - Returns: If there is no subscription, the number up to which the sender of the event is to
  ///   remove those of this node.
  @discardableResult
  func change(
    _ key: SessionKey, states: [CommittedState] = [],
    _ body: (inout RemoteSubscription) -> RemoteSubscription.Action
  ) -> UInt64? {
    let now = now
    var session: RemoteSession?
    var removal: UInt64?
    let action = state.withLock { state in
      removal = state.subscriptions.removal(of: key)
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
    return removal
  }
}
