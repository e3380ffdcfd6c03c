internal import ReactorLog
internal import ReactorSessions
internal import ReactorStreams
internal import Synchronization

/// Observes the subscribers of a session for a stream of its reactor.
///
/// Delivers each presence in a turn of the session, and only the latest if several are pending.
final class PresenceFollower: PresenceObserver, Disposable {
  private struct State {
    var pending: Presence?
    /// The presence that was received last.
    var received: Presence?
    var isDisposed = false
  }

  private let context: SessionSerialContext
  private let receive: @Sendable (Presence) -> Void
  private let state = Mutex(State())

  init(in context: SessionSerialContext, receive: @escaping @Sendable (Presence) -> Void) {
    self.context = context
    self.receive = receive
  }

  func start() {
    context.session?.observePresence(self)
  }

  func presenceDidChange(_ update: PresenceUpdate) {
    let isFirst = state.withLock { state in
      defer { state.pending = update.presence }
      return !state.isDisposed && state.pending == nil
    }
    guard isFirst else { return }
    context.enqueue { [self] in
      if let presence = take() { receive(presence) }
    }
  }

  /// Dequeues the pending presence, or returns `nil` if it equals the previous one, or if the observation has
  /// ended.
  private func take() -> Presence? {
    state.withLock { state in
      guard let presence = state.pending.take(), !state.isDisposed, presence != state.received
      else { return nil }
      state.received = presence
      return presence
    }
  }

  func dispose() {
    state.withLock { $0.isDisposed = true }
    context.session?.stopObservingPresence(self)
  }
}

extension HostedSessions {
  func followSubscribers(
    of session: SessionKey, receive: @escaping @Sendable (Presence) -> Void
  ) -> any Disposable {
    // The context is missing if the subscribing instance has no session: it folds a log, or
    // describes the reactor.
    guard let context = CurrentSerialContext.value as? SessionSerialContext else {
      return Disposables.create()
    }
    let follower = PresenceFollower(in: context, receive: receive)
    follower.start()
    return follower
  }
}
