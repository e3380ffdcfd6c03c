internal import ReactorHost
internal import ReactorLog
internal import Synchronization

/// Signals and the activity of effects, between the owner of a session and the subscribed nodes.
extension ClusterNode {
  /// Sends a signal of a client of this node to the owner of its session, at most once.
  func publish(_ signal: SessionSignal, of key: SessionKey, at owner: NodeID) {
    send(.signal(key, signal.json, from: signal.sender), to: owner, about: key)
  }

  /// Sends a signal of a session of this node to the subscribed nodes.
  func publish(_ signal: SessionSignal, of key: SessionKey) {
    for edge in state.withLock({ $0.subscribed.nodes(of: key) }) {
      send(.publishedSignal(key, signal.json, from: signal.sender), to: edge, about: key)
    }
  }

  /// Requests the activity of a session from its owner, or cancels the request.
  func observeActivity(_ isObserved: Bool, of key: SessionKey) {
    let (opened, me) = state.withLock { ($0.subscriptions.opened(key), $0.machine.node) }
    // Without an open subscription, `RemoteSession.didOpenSubscription(_:)` sends the request later.
    guard let (owner, number) = opened else { return }
    send(.observesActivity(key, number, isObserved, from: me), to: owner, about: key)
  }

  /// Sends the activity of a session of this node to the nodes that have requested it.
  func publish(_ activity: SessionActivity, of key: SessionKey, to edges: Set<NodeID>) {
    for edge in edges { send(.activity(key, activity), to: edge, about: key) }
  }
}
